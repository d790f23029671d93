import { isSkipped } from '../../core/drain/course-pod.ts';
import { type ListedPod, podName } from './listed-pod.ts';

/** What whoever drains agreed to, in kubectl's words. */
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
  | { readonly kind: 'evict'; readonly note?: string }
  | { readonly kind: 'leave'; readonly note?: string }
  /** As long as this is so, nothing on its node is evicted. */
  | { readonly kind: 'refuse'; readonly why: string };

type Filter = (pod: ListedPod, options: FilterOptions, facts: FilterFacts) => Selected | undefined;

/** In the order of kubectl drain: the first that leaves a pod, or refuses it, has the last word. */
const filters: readonly Filter[] = [
  ({ deletionTime }, { skipAfterMs }, { now }) =>
    deletionTime !== undefined && isSkipped(deletionTime, now, skipAfterMs)
      ? { kind: 'leave', note: 'terminating for longer than --skip-wait-for-delete-timeout, left alone' }
      : undefined,
  fromDaemonSet,
  ({ mirror }) => (mirror ? { kind: 'leave' } : undefined),
  ({ emptyDir, finished }, { deleteEmptydirData }) => {
    if (!emptyDir || finished) return undefined;
    return deleteEmptydirData
      ? undefined
      : { kind: 'refuse', why: 'would lose its data in emptyDir volumes (--delete-emptydir-data agrees to that)' };
  },
  ({ controller, finished }, { force }) => {
    if (controller !== undefined || finished) return undefined;
    return force
      ? { kind: 'evict', note: 'managed by nobody, will not come back' }
      : { kind: 'refuse', why: 'managed by nobody, would not come back (--force agrees to that)' };
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
      ? { kind: 'evict', note: 'its DaemonSet is gone, will not come back' }
      : { kind: 'refuse', why: 'its DaemonSet is gone, would not come back (--force agrees to that)' };
  }
  return ignoreDaemonsets
    ? { kind: 'leave', note: 'belongs to a DaemonSet, left alone' }
    : { kind: 'refuse', why: 'belongs to a DaemonSet (--ignore-daemonsets leaves such pods where they are)' };
}

function select(pod: ListedPod, options: FilterOptions, facts: FilterFacts): Selected {
  let note: string | undefined;
  for (const filter of filters) {
    const selected = filter(pod, options, facts);
    if (selected === undefined) continue;
    if (selected.kind !== 'evict') return selected;
    note ??= selected.note;
  }
  return { kind: 'evict', ...(note === undefined ? {} : { note }) };
}

export interface Selection {
  readonly evicted: readonly ListedPod[];
  /** Pods that nothing happens to, or something that people should know. By what is said of them. */
  readonly notes: ReadonlyMap<string, readonly string[]>;
  /** What stands in the way of each node that is not drained, by what is said of its pods. */
  readonly refusals: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
}

/** Of each node all pods that go, or none. */
export function selectPods(pods: readonly ListedPod[], options: FilterOptions, facts: FilterFacts): Selection {
  const evicted: ListedPod[] = [];
  const notes = new Map<string, string[]>();
  const refusals = new Map<string, Map<string, string[]>>();
  for (const pod of pods) {
    const selected = select(pod, options, facts);
    if (selected.kind === 'refuse') {
      const ofNode = refusals.get(pod.node) ?? new Map<string, string[]>();
      add(ofNode, selected.why, pod);
      refusals.set(pod.node, ofNode);
    } else if (selected.note !== undefined) add(notes, selected.note, pod);
    if (selected.kind === 'evict') evicted.push(pod);
  }
  return { evicted: evicted.filter(({ node }) => !refusals.has(node)), notes, refusals };
}

function add(lists: Map<string, string[]>, key: string, pod: ListedPod): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [podName(pod)]);
  else list.push(podName(pod));
}
