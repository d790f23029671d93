import { failed, type Parsed } from '@holdfast/base/field-errors';
import { type Fields, isObject } from '@holdfast/base/json';
import { type ContainerProbe, hasProbe, parseProbes } from '@holdfast/base/probes/probe';
import { condition } from '../../api/names.ts';
import type { Pod } from '../../api/pod.ts';
import { podAddresses } from '../../api/probe-hosts.ts';

/** One life of a container. A restart is another one, with nothing known about it. */
export interface ContainerInstance {
  readonly id: string;
  /** Milliseconds since 1970, by the clock of the node; undefined where the status does not say. */
  readonly startedAt: number | undefined;
}

/** The condition as it stands on the pod. */
export interface PresentCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string | undefined;
}

/** What the agent needs to know of a pod that asks to be probed. */
export interface ProbedPodView {
  readonly node: string;
  /** Deleted, finished or terminating: the agent no longer probes it. */
  readonly leaving: boolean;
  readonly address: string | undefined;
  readonly addresses: readonly string[];
  readonly probes: Parsed<readonly ContainerProbe[]>;
  /** By container; only those that run, and have started. */
  readonly running: ReadonlyMap<string, ContainerInstance>;
  /** By container, by name. */
  readonly ports: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly present: PresentCondition | undefined;
}

/** A pod as the agent keeps it: most have no probe, and cost next to nothing. */
export interface AgentPod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly probed: ProbedPodView | undefined;
}

export function projectAgentPod(object: Fields): AgentPod {
  const { metadata, spec, status } = object;
  if (!isObject(metadata)) throw new TypeError('a pod has metadata');
  const { name, namespace, uid, resourceVersion } = metadata;
  if (typeof name !== 'string' || typeof namespace !== 'string' || typeof uid !== 'string') {
    throw new TypeError('a pod has a name, a namespace and a uid');
  }
  const kept = { name, namespace, uid, resourceVersion: String(resourceVersion ?? '') };
  // Safe: both of these check what they read.
  const pod = object as unknown as Pod;
  const node = isObject(spec) ? spec['nodeName'] : undefined;
  if (!hasProbe(pod) || typeof node !== 'string' || node === '') return { metadata: kept, probed: undefined };
  return { metadata: kept, probed: viewOf(pod, node, fieldsOf(spec), fieldsOf(status), metadata) };
}

function viewOf(pod: Pod, node: string, spec: Fields, status: Fields, metadata: Fields): ProbedPodView {
  const { phase, podIP } = status;
  const containers = objects(spec['containers']);
  return {
    node,
    leaving: typeof metadata['deletionTimestamp'] === 'string' || phase === 'Succeeded' || phase === 'Failed',
    address: typeof podIP === 'string' && podIP !== '' ? podIP : undefined,
    addresses: podAddresses(status),
    probes: probesOf(pod),
    running: new Map(objects(status['containerStatuses']).flatMap(runOf)),
    ports: new Map(containers.map((container) => [String(container['name']), portsOf(container)])),
    present: presentOf(objects(status['conditions'])),
  };
}

/** Only valid probes run; a probe of a pod without containers counts as one that cannot be read. */
function probesOf(pod: Pod): Parsed<readonly ContainerProbe[]> {
  const probes = parseProbes(pod);
  if (!probes.ok || probes.value.length > 0) return probes;
  return failed({ type: 'FieldValueRequired', field: 'spec.containers', detail: 'the pod has no container to probe' });
}

function runOf(source: Fields): readonly (readonly [string, ContainerInstance])[] {
  const { name, state, containerID, restartCount, started } = source;
  const running = isObject(state) ? state['running'] : undefined;
  // A container that has a startup probe runs before it has started. Only `false` says that it has not.
  if (typeof name !== 'string' || !isObject(running) || started === false) return [];
  const text = running['startedAt'];
  const startedAt = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  const id = JSON.stringify([containerID, restartCount, text]);
  return [[name, { id, startedAt: Number.isNaN(startedAt) ? undefined : startedAt }]];
}

function portsOf(container: Fields): ReadonlyMap<string, number> {
  const ports = new Map<string, number>();
  for (const { name, containerPort } of objects(container['ports'])) {
    if (typeof name === 'string' && typeof containerPort === 'number') ports.set(name, containerPort);
  }
  return ports;
}

function presentOf(conditions: readonly Fields[]): PresentCondition | undefined {
  const found = conditions.find(({ type }) => type === condition.disruptable);
  if (found === undefined) return undefined;
  const { status, reason, message, lastTransitionTime } = found;
  return {
    status: String(status),
    reason: typeof reason === 'string' ? reason : '',
    message: typeof message === 'string' ? message : '',
    lastTransitionTime: typeof lastTransitionTime === 'string' ? lastTransitionTime : undefined,
  };
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function objects(source: unknown): readonly Fields[] {
  return Array.isArray(source) ? source.filter(isObject) : [];
}
