import { counted } from '../../api/wording.ts';
import { type LiveWorld, objectKey } from '../../observe/once/live-world.ts';
import { type BudgetView, budgetViews } from '../status/budget-view.ts';
import { budgetKindText } from '../status/status-text.ts';

/** What a cluster has that Holdfast, and nothing else, takes care of. */
export interface Protected {
  readonly live: Pick<LiveWorld, 'world' | 'builtin' | 'registrations'>;
  /** `namespace/name` of StatefulSets whose stuck rollouts are recovered. */
  readonly rollouts: readonly string[];
}

/** What is no longer protected without Holdfast, a line for each. Where no operator is registered, nothing is lost. */
export function lossLines({ live, rollouts }: Protected): readonly string[] {
  if (live.registrations.kind === 'known' && live.registrations.validating === undefined) return [];
  return [
    ...budgetViews(live.world).flatMap((view) => budgetLoss(view, live)),
    ...probeLosses(live),
    ...rollouts.map((name) => `statefulset ${name}: a stuck rollout is no longer recovered`),
  ];
}

function budgetLoss(view: BudgetView, { builtin }: Protected['live']): readonly string[] {
  const { kind, namespace, name } = view.budget;
  const title = `${budgetKindText(kind)} ${namespace}/${name}`;
  if (kind === 'PodUnavailableBudget') return [`${title}: nothing enforces it`];
  if (view.scope === 'builtin' && view.entangled === undefined) return [];
  const status = builtin.get(objectKey(namespace, name));
  const then =
    status === undefined
      ? 'Kubernetes counts pods'
      : `Kubernetes counts pods, and allows ${counted(status.disruptionsAllowed, 'eviction')} now`;
  return [`${title}: ${nowText(view)}; then ${then}`];
}

function nowText({ scope, unit, desired, expected, allowed }: BudgetView): string {
  if (scope === 'invalid') return 'cannot be read, and refuses everything';
  const needs = `needs ${desired ?? '?'} of ${counted(expected ?? 0, unit)}`;
  return `${scope === 'group' ? 'counts groups' : 'is judged by Holdfast'}, ${needs}, and allows ${allowed ?? 0} now`;
}

function probeLosses({ world }: Protected['live']): readonly string[] {
  let probed = 0;
  for (const state of world.namespaces()) for (const { live } of state.probedPods) probed += live ? 1 : 0;
  if (probed === 0) return [];
  return [`${counted(probed, 'pod')} with a disruption probe: evictions no longer wait for its answer`];
}
