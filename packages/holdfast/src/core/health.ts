import { hasProbe, parseProbes } from '@holdfast/base/probes/probe';
import { annotation, condition, label, probePendingReason } from '../api/names.ts';
import type { Pod } from '../api/pod.ts';
import { deletionOf } from './owner.ts';

/** What a pod's own object says about its health, as bits: worlds hold a hundred thousand of them. */
export const bit = {
  ready: 1,
  running: 2,
  pending: 4,
  finished: 8,
  terminating: 16,
  probed: 32,
  probeInvalid: 64,
  /** The condition Disruptable is True; whether it is fresh is the node's lease's business. */
  disruptable: 128,
  /** A label says that the pod is not available although it may be ready. */
  unavailableLabel: 256,
  updateUnfinished: 512,
  noProtect: 1024,
  /** The kubelet has not yet acted on the newest spec. */
  generationLag: 2048,
  /** It is being deleted and leaves what it owns. */
  orphaning: 4096,
  /** The kubelet says which generation it has observed. Those before Kubernetes 1.33 do not. */
  tellsGeneration: 8192,
  /** A controller has announced an update in place: its readiness gate is False. */
  announcedUpdate: 16_384,
  /** Not Ready for that announcement alone: its containers are ready (H6). */
  heldByAnnouncement: 32_768,
  /** An in-place resize is not done: it is pending, in progress, or the node has not set aside what the spec asks for. */
  resizing: 65_536,
  /** It is pending, and the kubelet will not try it again. */
  resizeInfeasible: 131_072,
  /** It has a probe, and no agent has probed it often enough for an answer. */
  probePending: 262_144,
} as const;

export function healthBits(pod: Pod): number {
  const status = pod.status;
  const phase = status?.phase;
  return (
    on(isTrue(pod, 'Ready'), bit.ready) |
    on(phase === 'Running', bit.running) |
    on(phase === undefined || phase === 'Pending', bit.pending) |
    on(phase === 'Succeeded' || phase === 'Failed', bit.finished) |
    on(pod.metadata.deletionTimestamp !== undefined && pod.metadata.deletionTimestamp !== null, bit.terminating) |
    on(deletionOf(pod.metadata.deletionTimestamp, pod.metadata.finalizers).orphaning === true, bit.orphaning) |
    on(hasUnavailableLabel(pod), bit.unavailableLabel) |
    on(updateUnfinished(pod), bit.updateUnfinished) |
    on(isTrueWord(pod.metadata.annotations?.[annotation.pubNoProtect]), bit.noProtect) |
    on((status?.observedGeneration ?? Number.MAX_SAFE_INTEGER) < (pod.metadata.generation ?? 0), bit.generationLag) |
    on(status?.observedGeneration !== undefined, bit.tellsGeneration) |
    announcementBits(pod) |
    resizeBits(pod) |
    probeBits(pod)
  );
}

function on(test: boolean, value: number): number {
  return test ? value : 0;
}

function isTrue(pod: Pod, type: string): boolean {
  return pod.status?.conditions?.some((one) => one.type === type && one.status === 'True') ?? false;
}

/**
 * Kruise takes a pod out of service before it changes its image, by a readiness gate. Its containers serve on as before: were the
 * pod taken for one that is down, its update would cost nothing.
 */
function announcementBits(pod: Pod): number {
  const gates = pod.spec?.readinessGates ?? [];
  const isGate = gates.some(({ conditionType }) => conditionType === condition.inPlaceUpdateReady);
  const found = pod.status?.conditions?.find(({ type }) => type === condition.inPlaceUpdateReady);
  if (!isGate || found?.status !== 'False') return 0;
  const others = gates.filter(({ conditionType }) => conditionType !== condition.inPlaceUpdateReady);
  const isHeld =
    !isTrue(pod, 'Ready') &&
    isTrue(pod, 'ContainersReady') &&
    others.every(({ conditionType }) => isTrue(pod, conditionType));
  return bit.announcedUpdate | on(isHeld, bit.heldByAnnouncement);
}

function resizeBits(pod: Pod): number {
  const pending = pod.status?.conditions?.find(({ type, status }) => type === 'PodResizePending' && status === 'True');
  const isOpen = pending !== undefined || isTrue(pod, 'PodResizeInProgress') || !hasItsResources(pod);
  return on(isOpen, bit.resizing) | on(pending?.reason === 'Infeasible', bit.resizeInfeasible);
}

/** Where the kubelet says nothing of it, it does not resize. */
function hasItsResources({ spec, status }: Pod): boolean {
  return (status?.containerStatuses ?? []).every(({ name, allocatedResources }) => {
    if (allocatedResources === undefined) return true;
    const requests = spec?.containers?.find((one) => one.name === name)?.resources?.requests;
    return ['cpu', 'memory'].every((resource) => allocatedResources[resource] === requests?.[resource]);
  });
}

function hasUnavailableLabel(pod: Pod): boolean {
  for (const key in pod.metadata.labels) {
    if (key.startsWith(label.unavailablePodPrefix)) return true;
  }
  return false;
}

/** The words that Go's strconv.ParseBool takes for true, as Kruise reads this annotation. */
function isTrueWord(text: string | undefined): boolean {
  return text !== undefined && ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text);
}

function probeBits(pod: Pod): number {
  if (!hasProbe(pod)) return 0;
  const readable = probeIsReadable(pod);
  return (
    bit.probed |
    on(!readable, bit.probeInvalid) |
    on(readable && isTrue(pod, condition.disruptable), bit.disruptable) |
    on(isPending(pod), bit.probePending)
  );
}

/** Agents write no condition before their first answer, and `ProbePending` where a container restarted. */
function isPending({ status }: Pod): boolean {
  const found = status?.conditions?.find(({ type }) => type === condition.disruptable);
  return found === undefined || found.reason === probePendingReason;
}

/**
 * Whether annotations that were seen before can be read. A pod's status changes often, its probe never, and reading YAML is slow;
 * pods of one workload share it word for word.
 */
const readableBefore = new Map<string, boolean>();
const maxRemembered = 1_000;

function probeIsReadable(pod: Pod): boolean {
  const text = pod.metadata.annotations?.[annotation.disruptionProbe];
  const containers = pod.spec?.containers ?? [];
  if (typeof text !== 'string' || containers.some((one) => one.disruptionProbe !== undefined))
    return parseProbes(pod).ok;
  const key = JSON.stringify([text, containers.map((one) => one.name)]);
  const known = readableBefore.get(key);
  if (known !== undefined) return known;
  const readable = parseProbes(pod).ok;
  if (readableBefore.size >= maxRemembered) readableBefore.clear();
  readableBefore.set(key, readable);
  return readable;
}

/**
 * Kruise's in-place update records the image ids that containers had before it. While a container still runs the recorded one,
 * or containers are left for a next batch, the update is not finished. A record that cannot be read is an unfinished update:
 * Kruise is changing this pod.
 */
function updateUnfinished(pod: Pod): boolean {
  const text = pod.metadata.annotations?.[annotation.kruiseInPlaceState];
  if (text === undefined) return false;
  const state = readInPlaceState(text);
  if (state === undefined) return true;
  if (state.waiting) return true;
  const running = new Map(pod.status?.containerStatuses?.map((status) => [status.name, status.imageID]));
  return state.before.some(([container, imageID]) => running.get(container) === imageID);
}

interface InPlaceState {
  readonly waiting: boolean;
  readonly before: readonly (readonly [container: string, imageID: string])[];
}

function readInPlaceState(text: string): InPlaceState | undefined {
  try {
    const state: unknown = JSON.parse(text);
    if (!isRecord(state)) return undefined;
    const last = isRecord(state['lastContainerStatuses']) ? state['lastContainerStatuses'] : {};
    return {
      waiting: ['nextContainerImages', 'nextContainerRefMetadata', 'nextContainerResources'].some((key) =>
        isFilled(state[key]),
      ),
      before: Object.entries(last).flatMap(([container, status]) =>
        isRecord(status) && typeof status['imageID'] === 'string' ? [[container, status['imageID']] as const] : [],
      ),
    };
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFilled(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length > 0;
}
