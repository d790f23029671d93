import { isSkipped } from '../../core/drain/course-pod.ts';
import { type ListedPod, podName } from './listed-pod.ts';

/** The flags of kubectl drain that allow more pods to be evicted. */
export interface FilterOptions {
  readonly force: boolean;
  readonly ignoreDaemonsets: boolean;
  readonly deleteEmptydirData: boolean;
  readonly skipAfterMs?: number | undefined;
}

/** What else a filter has to know. */
export interface FilterFacts {
  readonly now: number;
  /** Whether the DaemonSet of a pod is there. */
  readonly hasDaemonSet: (pod: ListedPod) => boolean;
}

export type Selected =
  /** `lost`: no controller recreates the pod. */
  | { readonly kind: 'evict'; readonly note?: string; readonly lost?: boolean }
  | { readonly kind: 'leave'; readonly note?: string }
  /** As long as this is so, nothing on its node is evicted. `flag` changes it. */
  | { readonly kind: 'refuse'; readonly why: string; readonly flag: FilterFlag };

export type FilterFlag = '--force' | '--ignore-daemonsets' | '--delete-emptydir-data';

type Filter = (pod: ListedPod, options: FilterOptions, facts: FilterFacts) => Selected | undefined;

/** In the order of kubectl drain: the first that leaves a pod, or refuses it, has the last word. */
const filters: readonly Filter[] = [
  ({ deletionTime }, { skipAfterMs }, { now }) =>
    deletionTime !== undefined && isSkipped(deletionTime, now, skipAfterMs)
      ? { kind: 'leave', note: 'terminating for longer than --skip-wait-for-delete-timeout; not waited for' }
      : undefined,
  fromDaemonSet,
  ({ mirror }) => (mirror ? { kind: 'leave' } : undefined),
  ({ emptyDir, finished }, { deleteEmptydirData }) => {
    if (!emptyDir || finished) return undefined;
    return deleteEmptydirData ? undefined : refuse('emptyDir data would be lost', '--delete-emptydir-data');
  },
  ({ controller, finished }, { force }) => {
    if (controller !== undefined || finished) return undefined;
    return force
      ? { kind: 'evict', note: 'no controller; will not be recreated', lost: true }
      : refuse('no controller; would not be recreated', '--force');
  },
];

/** DaemonSets tolerate cordoned nodes: their pods would be back at once. */
function fromDaemonSet(
  pod: ListedPod,
  { force, ignoreDaemonsets }: FilterOptions,
  { hasDaemonSet }: FilterFacts,
): Selected | undefined {
  if (pod.controller?.kind !== 'DaemonSet' || pod.finished) return undefined;
  if (!hasDaemonSet(pod)) {
    return force
      ? { kind: 'evict', note: 'DaemonSet deleted; will not be recreated', lost: true }
      : refuse('DaemonSet deleted; would not be recreated', '--force');
  }
  return ignoreDaemonsets
    ? { kind: 'leave', note: 'of a DaemonSet; stays on its node' }
    : refuse('of a DaemonSet; would be recreated at once', '--ignore-daemonsets');
}

function refuse(why: string, flag: FilterFlag): Selected {
  return { kind: 'refuse', why: `${why} (use ${flag})`, flag };
}

function select(pod: ListedPod, options: FilterOptions, facts: FilterFacts): Selected {
  let note: string | undefined;
  let lost = false;
  for (const filter of filters) {
    const selected = filter(pod, options, facts);
    if (selected === undefined) continue;
    if (selected.kind !== 'evict') return selected;
    note ??= selected.note;
    lost ||= selected.lost === true;
  }
  return { kind: 'evict', lost, ...(note === undefined ? {} : { note }) };
}

export interface DrainSelection {
  readonly evicted: readonly ListedPod[];
  /** Pods that nothing happens to, or something that people should know. By what is said of them. */
  readonly notes: ReadonlyMap<string, readonly string[]>;
  /** What stands in the way of each node that is not drained, by what is said of its pods. */
  readonly refusals: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** Flags with which nothing would be refused. */
  readonly missingFlags: readonly FilterFlag[];
  /** By uid: pods that no controller recreates. */
  readonly lost: ReadonlySet<string>;
}

/** Of each node all pods that go, or none. */
export function selectPods(pods: readonly ListedPod[], options: FilterOptions, facts: FilterFacts): DrainSelection {
  const evicted: ListedPod[] = [];
  const notes = new Map<string, string[]>();
  const refusals = new Map<string, Map<string, string[]>>();
  const flags = new Set<FilterFlag>();
  const lost = new Set<string>();
  for (const pod of pods) {
    const selected = select(pod, options, facts);
    if (selected.kind === 'refuse') {
      const ofNode = refusals.get(pod.node) ?? new Map<string, string[]>();
      add(ofNode, selected.why, pod);
      flags.add(selected.flag);
      refusals.set(pod.node, ofNode);
    } else if (selected.note !== undefined) add(notes, selected.note, pod);
    if (selected.kind === 'evict') evicted.push(pod);
    if (selected.kind === 'evict' && selected.lost === true) lost.add(pod.uid);
  }
  const missingFlags = [...flags].sort();
  return { evicted: evicted.filter(({ node }) => !refusals.has(node)), notes, refusals, missingFlags, lost };
}

function add(lists: Map<string, string[]>, key: string, pod: ListedPod): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [podName(pod)]);
  else list.push(podName(pod));
}
