import { Problem } from '../../../observe/problem.ts';
import { withSizesAlone } from '../../ledger-sizes.ts';
import type { LoadedObject } from '../../load-objects.ts';
import { missingDefinitions } from './custom-kinds.ts';
import { missingReferences, refuseLostRevisions } from './references.ts';
import { withoutSchedules } from './schedules.ts';
import { completeNodes } from './snapshot-nodes.ts';
import { foreignOwners, missingOwners } from './snapshot-owners.ts';
import { asTheyWere, isPod, type SnapshotPod } from './snapshot-pods.ts';
import { type StartTimes, startTimesOf } from './start-times.ts';
import { referencesOf, withMeantUids } from './uids.ts';

/** A snapshot that a cluster can start from. */
export interface Snapshot {
  readonly objects: readonly LoadedObject[];
  /** What is not as it was, or will not be as in the cluster that it was taken from. */
  readonly notes: readonly string[];
  readonly vetoes: ReadonlySet<string>;
  readonly startTimes: StartTimes;
  /** The longest grace period. */
  readonly longestStopMs: number;
  /** Milliseconds since 1970: just after the last thing that the snapshot tells of. */
  readonly takenAt: number;
}

/** @param podStartMs undefined: as the pods of the snapshot started */
export function completeSnapshot(objects: readonly LoadedObject[], podStartMs: number | undefined): Snapshot {
  const known = withSizesAlone(withMeantUids(objects));
  const original = known.filter(isPod);
  if (original.length === 0) {
    throw new Problem(
      'the snapshot has no pods',
      'Take one with: kubectl get nodes,pods,pdb,deployments,replicasets,statefulsets,daemonsets,controllerrevisions,jobs -A -o yaml',
    );
  }
  const nodes = completeNodes(known.filter(isNode), original, meantNodes(known));
  const { pods, vetoes, notes } = asTheyWere(original);
  const { objects: others, notes: silenced } = withoutSchedules(known.filter((one) => !isPod(one) && !isNode(one)));
  const all = [...missingDefinitions(others), ...missingReferences(known), ...others, ...nodes.nodes, ...pods];
  refuseOrphans(all);
  refuseLostRevisions(all);
  return {
    objects: all,
    notes: [...nodes.notes, ...notes, ...silenced, ...foreignOwners(all).map(foreignNote)],
    vetoes,
    startTimes: startTimesOf(original, podStartMs),
    longestStopMs: original.reduce((most, { spec }) => Math.max(most, graceMs(spec)), 0),
    takenAt: takenAt(known),
  };
}

function graceMs(spec: SnapshotPod['spec']): number {
  return (spec?.terminationGracePeriodSeconds ?? 30) * 1_000;
}

function isNode({ apiVersion, kind }: LoadedObject): boolean {
  return kind === 'Node' && apiVersion === 'v1';
}

/** Static pods say which node owns them. */
function meantNodes(objects: readonly LoadedObject[]): ReadonlyMap<string, string> {
  const references = objects.flatMap(({ metadata }) => referencesOf(metadata)).filter(({ kind }) => kind === 'Node');
  return new Map(references.map(({ name, uid }) => [name, uid]));
}

const maxNamed = 5;

function refuseOrphans(objects: readonly LoadedObject[]): void {
  const missing = missingOwners(objects);
  if (missing.length === 0) return;
  const named = missing
    .slice(0, maxNamed)
    .map(({ owner }) => owner)
    .join(', ');
  const more = missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : '';
  const kinds = [...new Set(missing.map(({ resource }) => resource))].sort();
  throw new Problem(
    `the snapshot has pods, but not their owners: ${named}${more}. These pods would be garbage-collected, and no controller would replace them.`,
    `Add ${kinds.join(',')} to what you export, or simulate with --from-cluster, which reads what is needed.`,
  );
}

function foreignNote({ kind, owners, pods }: ReturnType<typeof foreignOwners>[number]): string {
  const whose = `${pods} ${pods === 1 ? 'pod belongs' : 'pods belong'} to ${owners} ${kind}${owners === 1 ? '' : 's'}`;
  return `${whose}, whose controller does not run in a simulation: once evicted they are not replaced, and budgets that count them stay short`;
}

const firstMs = Date.UTC(2026, 0, 1);

/** The clock of a simulation starts there, so that the same snapshot gives the same simulation on any day. */
function takenAt(objects: readonly LoadedObject[]): number {
  let last = 0;
  for (const { metadata, status } of objects) {
    const conditions = (status as { readonly conditions?: unknown } | undefined)?.conditions;
    const times = [metadata['creationTimestamp'], ...(Array.isArray(conditions) ? conditions : []).map(transitionOf)];
    for (const time of times) {
      const ms = typeof time === 'string' ? Date.parse(time) : Number.NaN;
      if (ms > last) last = ms;
    }
  }
  return last === 0 ? firstMs : Math.ceil(last / 1_000) * 1_000 + 1_000;
}

function transitionOf(condition: { readonly lastTransitionTime?: unknown } | null): unknown {
  return condition?.lastTransitionTime;
}
