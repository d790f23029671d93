import { isReady, type SnapshotPod } from './snapshot-pods.ts';
import { referencesOf, spaceOf } from './uids.ts';

/** How long pods take from being bound to a node until their containers run. */
export interface StartTimes {
  /** For pods of owners that the snapshot says nothing about. */
  readonly usualMs: number;
  /** Where `usualMs` comes from. */
  readonly source: 'option' | 'snapshot' | 'default';
  /** By owner, see `controllerKeyOf`. */
  readonly byOwner: ReadonlyMap<string, number>;
}

/** A container image that is there already, and a small application. */
const defaultStartMs = 20_000;
/** What took longer waited for something else: a node, a volume, a person. */
const longestMs = 3_600_000;
const shortestMs = 500;

/** The median, for each owner and over all, of what pods of the snapshot took to be ready. */
export function startTimesOf(pods: readonly SnapshotPod[], chosenMs: number | undefined): StartTimes {
  if (chosenMs !== undefined) return { usualMs: chosenMs, source: 'option', byOwner: new Map() };
  const samples = new Map<string, number[]>();
  const all: number[] = [];
  for (const pod of pods) {
    const took = startOf(pod);
    if (took === undefined) continue;
    all.push(took);
    const owner = controllerKeyOf(pod.metadata);
    if (owner !== undefined) samples.set(owner, [...(samples.get(owner) ?? []), took]);
  }
  const byOwner = new Map([...samples].map(([owner, times]) => [owner, median(times)] as const));
  if (all.length === 0) return { usualMs: defaultStartMs, source: 'default', byOwner };
  return { usualMs: median(all), source: 'snapshot', byOwner };
}

/** The name rather than the uid: what is recreated under the same name is as slow as before. */
export function controllerKeyOf(metadata: SnapshotPod['metadata']): string | undefined {
  const controller = referencesOf(metadata).find((one) => one.controller === true);
  return controller && `${spaceOf(metadata)}/${controller.kind}/${controller.name}`;
}

/** Without what its readiness probe waits before it asks first: the simulated kubelet waits for that, too. */
function startOf(pod: SnapshotPod): number | undefined {
  if (!isReady(pod) || (pod.status?.containerStatuses ?? []).some(({ restartCount = 0 }) => restartCount > 0))
    return undefined;
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  const took = Date.parse(ready ?? '') - Date.parse(String(pod.metadata['creationTimestamp']));
  if (Number.isNaN(took) || took < 0 || took > longestMs) return undefined;
  const probes = (pod.spec?.containers ?? []).map((one) => one.readinessProbe?.initialDelaySeconds ?? 0);
  return Math.max(shortestMs, took - Math.max(0, ...probes) * 1_000);
}

function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
