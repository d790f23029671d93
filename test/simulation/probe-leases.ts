import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import type { History } from './history.ts';

/** Which pods the agents of their nodes confirm to be disruptable, from the leases that they wrote. */

interface LeaseVersion {
  readonly name: string;
  readonly at: number;
  readonly uids: readonly string[];
  readonly durationMs: number;
}

/**
 * What a view may believe that is at most `staleMs` behind at some time from `since` on: the newest lists that were fresh when it began,
 * those that are fresh now, and everything that was listed meanwhile. The same lists are given once.
 */
export function vouchedSets(
  history: History,
  since: number,
  seq: number,
  now: number,
  staleMs: number,
): readonly ReadonlySet<string>[] {
  const versions = history.versionsOf('coordination.k8s.io/leases', seq).map(read);
  if (versions.length === 0) return [new Set()];
  const asOf = (at: number) => listed(newest(versions.filter((one) => one.at <= at)).filter((one) => isFresh(one, at)));
  const meanwhile = listed(versions.filter((one) => one.at + one.durationMs + staleMs >= since));
  const sets = new Map([asOf(now), asOf(since), meanwhile].map((set) => [[...set].sort().join(' '), set]));
  return [...sets.values()];
}

function newest(versions: readonly LeaseVersion[]): readonly LeaseVersion[] {
  return [...new Map(versions.map((one) => [one.name, one])).values()];
}

function isFresh({ at, durationMs }: LeaseVersion, now: number): boolean {
  return at + durationMs > now;
}

function listed(versions: readonly LeaseVersion[]): ReadonlySet<string> {
  return new Set(versions.flatMap(({ uids }) => uids));
}

function read({ object, at }: { readonly object: KubeObject | undefined; readonly at: number }): LeaseVersion {
  const spec = object?.['spec'] as { readonly leaseDurationSeconds?: number } | undefined;
  const uids = object?.metadata.annotations?.['holdfast.dev/disruptable-pods'] ?? '';
  return {
    name: object?.metadata.name ?? '',
    at,
    uids: uids.split(' ').filter((uid) => uid !== ''),
    durationMs: (spec?.leaseDurationSeconds ?? 0) * 1_000,
  };
}
