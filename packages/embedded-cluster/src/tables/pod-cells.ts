import { numberAt, objectAt, objectsAt, specOf, statusOf, textAt } from '../kinds/builtin/checks/read.ts';
import type { Cells } from '../kinds/builtin-types.ts';
import type { JsonObject, KubeObject } from '../objects.ts';
import { ageOf, humanDuration, timeOf } from './age.ts';
import { conditionStatus, none, orNone } from './texts.ts';

/** What the container statuses of a pod add up to. */
interface Summary {
  readonly reason: string;
  readonly ready: number;
  readonly restarts: Restarts;
}

interface Restarts {
  readonly count: number;
  /** When a container last ended, in milliseconds since 1970. */
  readonly lastMs: number | undefined;
}

interface InitSummary extends Summary {
  readonly initializing: boolean;
  /** Of those init containers that run as long as the pod does. */
  readonly sidecarRestarts: Restarts;
}

const noRestarts: Restarts = { count: 0, lastMs: undefined };

export const podCells: Cells = (pod, nowMs) => {
  const spec = specOf(pod);
  const status = statusOf(pod);
  const { reason, ready, restarts } = summary(spec, status);
  const total = objectsAt(spec, 'containers').length + objectsAt(spec, 'initContainers').filter(isSidecar).length;
  const ip = textAt(objectsAt(status, 'podIPs')[0], 'ip') || textAt(status, 'podIP');
  return [
    pod.metadata.name,
    `${ready}/${total}`,
    deletionReason(pod, status) ?? reason,
    restartsText(restarts, nowMs),
    ageOf(pod, nowMs),
    orNone(ip),
    orNone(textAt(spec, 'nodeName')),
    orNone(textAt(status, 'nominatedNodeName')),
    readinessGates(spec, status),
  ];
};

function summary(spec: JsonObject, status: JsonObject): Summary {
  const init = initSummary(spec, status, phaseReason(status));
  const done = !init.initializing || conditionStatus(status, 'Initialized') === 'True';
  return done ? mainSummary(status, init) : init;
}

function phaseReason(status: JsonObject): string {
  const gated = objectsAt(status, 'conditions').some(
    (condition) => condition['type'] === 'PodScheduled' && condition['reason'] === 'SchedulingGated',
  );
  return gated ? 'SchedulingGated' : textAt(status, 'reason') || textAt(status, 'phase');
}

function isSidecar(container: JsonObject | undefined): boolean {
  return container?.['restartPolicy'] === 'Always';
}

/** Init containers run one after another: the first that is not done says what the pod waits for. */
function initSummary(spec: JsonObject, status: JsonObject, reason: string): InitSummary {
  const containers = objectsAt(spec, 'initContainers');
  const sidecars = new Set(containers.filter(isSidecar).map((container) => textAt(container, 'name')));
  let restarts = noRestarts;
  let sidecarRestarts = noRestarts;
  let ready = 0;
  for (const [index, container] of objectsAt(status, 'initContainerStatuses').entries()) {
    const sidecar = sidecars.has(textAt(container, 'name'));
    restarts = withRestarts(restarts, container);
    if (sidecar) sidecarRestarts = withRestarts(sidecarRestarts, container);
    if (hasSucceeded(container)) continue;
    if (sidecar && container['started'] === true) {
      if (container['ready'] === true) ready++;
      continue;
    }
    const waitsFor = `Init:${initReason(container) ?? `${index}/${containers.length}`}`;
    return { reason: waitsFor, ready, restarts, sidecarRestarts, initializing: true };
  }
  return { reason, ready, restarts, sidecarRestarts, initializing: false };
}

function hasSucceeded(container: JsonObject): boolean {
  const terminated = stateOf(container, 'terminated');
  return terminated !== undefined && (numberAt(terminated, 'exitCode') ?? 0) === 0;
}

function initReason(container: JsonObject): string | undefined {
  const terminated = stateOf(container, 'terminated');
  if (terminated) return textAt(terminated, 'reason') || endText(terminated);
  const waiting = textAt(stateOf(container, 'waiting'), 'reason');
  return waiting === '' || waiting === 'PodInitializing' ? undefined : waiting;
}

/** Containers are looked at from the last to the first, so that the first one with something to say has the last word. */
function mainSummary(status: JsonObject, init: InitSummary): Summary {
  let { reason, ready, sidecarRestarts: restarts } = init;
  let running = false;
  let errorReason = '';
  for (const container of [...objectsAt(status, 'containerStatuses')].reverse()) {
    restarts = withRestarts(restarts, container);
    const waiting = textAt(stateOf(container, 'waiting'), 'reason');
    const terminated = stateOf(container, 'terminated');
    if (waiting !== '') {
      reason = waiting;
    } else if (terminated) {
      reason = textAt(terminated, 'reason') || endText(terminated);
      if ((numberAt(terminated, 'exitCode') ?? 0) !== 0) errorReason = reason;
    } else if (container['ready'] === true && stateOf(container, 'running')) {
      running = true;
      ready++;
    }
  }
  return { reason: completedReason(status, reason, running, errorReason), ready, restarts };
}

/** One completed container does not make the pod complete. */
function completedReason(status: JsonObject, reason: string, running: boolean, errorReason: string): string {
  if (reason !== 'Completed') return reason;
  if (running && conditionStatus(status, 'Ready') === 'True') return 'Running';
  if (errorReason !== '') return errorReason;
  return running ? 'NotReady' : reason;
}

function endText(terminated: JsonObject): string {
  const signal = numberAt(terminated, 'signal') ?? 0;
  return signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode') ?? 0}` : `Signal:${signal}`;
}

function stateOf(container: JsonObject, name: 'waiting' | 'running' | 'terminated'): JsonObject | undefined {
  return objectAt(objectAt(container, 'state'), name);
}

function withRestarts({ count, lastMs }: Restarts, container: JsonObject): Restarts {
  const ended = timeOf(objectAt(objectAt(container, 'lastState'), 'terminated')?.['finishedAt']);
  return {
    count: count + (numberAt(container, 'restartCount') ?? 0),
    lastMs: ended !== undefined && (lastMs === undefined || ended > lastMs) ? ended : lastMs,
  };
}

function restartsText({ count, lastMs }: Restarts, nowMs: number): string {
  return count === 0 || lastMs === undefined ? String(count) : `${count} (${humanDuration(nowMs - lastMs)} ago)`;
}

function deletionReason({ metadata }: KubeObject, status: JsonObject): string | undefined {
  if (!metadata.deletionTimestamp) return undefined;
  if (textAt(status, 'reason') === 'NodeLost') return 'Unknown';
  const phase = textAt(status, 'phase');
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : 'Terminating';
}

function readinessGates(spec: JsonObject, status: JsonObject): string {
  const gates = objectsAt(spec, 'readinessGates');
  if (gates.length === 0) return none;
  const open = gates.filter((gate) => conditionStatus(status, textAt(gate, 'conditionType')) === 'True');
  return `${open.length}/${gates.length}`;
}
