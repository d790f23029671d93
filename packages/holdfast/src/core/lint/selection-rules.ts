import { annotationField } from '@holdfast/base/annotations';
import { annotation } from '../../api/names.ts';
import { compareStrings } from '../compare.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { Hit, LintedPdb, LintView, Rule } from './finding.ts';
import { limitField } from './number-rules.ts';

const scopeField = annotationField(annotation.budgetScope);
const minimumField = annotationField(annotation.groupMinAvailable);
const readyField = 'spec.podGroupPolicy.minReadyReplicas';

function selectsNothing({ pdbs, pubs }: LintView): readonly Hit[] {
  return [...pdbs, ...pubs]
    .filter(({ state }) => state.pods.size === 0)
    .map(({ object }) => ({ object, field: 'spec.selector', message: 'selects no pod' }));
}

/** Budgets over the same pods, each set of them once, with one of the pods. */
function overlaps({ pdbs, pubs }: LintView, budgetsOf: (pod: PodRecord) => readonly string[]): readonly Hit[] {
  const seen = new Set<string>();
  const hits: Hit[] = [];
  for (const { object, state } of [...pdbs, ...pubs]) {
    const own = `${object.kind} ${object.metadata.name}`;
    for (const pod of state.pods) {
      const names = budgetsOf(pod);
      const together = `${pod.namespace}/${names.join('/')}`;
      if (names.length < 2 || seen.has(together)) continue;
      seen.add(together);
      const others = names.filter((name) => name !== own).join(' and ');
      hits.push({ object, field: 'spec.selector', message: `shares pods such as ${pod.name} with ${others}` });
    }
  }
  return hits;
}

/** Kubernetes' own check judges them, and answers 500 where there are two. A PUB over the pod makes them ours, as a PDB of ours does. */
const plainPdbs = (pod: PodRecord): readonly string[] => {
  const judgedByUs = pod.pdbs.some(({ mode }) => mode !== 'plain') || pod.pubs.some((pub) => pub.protects('EVICT'));
  return judgedByUs ? [] : pod.pdbs.map(({ ref }) => `PodDisruptionBudget ${ref.name}`).sort(compareStrings);
};

const allBudgets = (pod: PodRecord): readonly string[] =>
  [...pod.pdbs, ...pod.pubs].map(({ ref }) => `${ref.kind} ${ref.name}`).sort(compareStrings);

/** A budget over pods of which some, or all, serve in groups, and which counts them one by one. */
function countsPods({ pdbs, pubs }: LintView): readonly Hit[] {
  const ungroupedPubs = pubs.filter(({ state }) => state.rules !== undefined && state.rules.groups === undefined);
  const ungroupedPdbs = pdbs.filter(({ state }) => state.rules?.scope.kind === 'automatic' && state.mode !== 'group');
  return [...ungroupedPdbs, ...ungroupedPubs].flatMap(({ object, state }) => {
    const pod = [...state.pods].find(({ claims }) => claims.some(({ size = 2 }) => size > 1));
    const claim = pod?.claims.find(({ size = 2 }) => size > 1);
    if (pod === undefined || claim === undefined) return [];
    const message = `counts pods, and ${pod.name} serves in the group ${claim.display} (${claim.convention})`;
    return [{ object, field: limitField(object), message }];
  });
}

function unresolved({ pdbs }: LintView): readonly Hit[] {
  return pdbs.flatMap(({ object, state }: LintedPdb) => {
    if (state.rules?.scope.kind !== 'group') return [];
    const pod = [...state.pods].find((one) => state.groupOf(one) === undefined);
    return pod === undefined
      ? []
      : [{ object, field: scopeField, message: `counts groups, and the group of ${pod.name} is unknown` }];
  });
}

/** A minimum that no group reaches counts as the full size of a group, or refuses where nothing says what that is. */
function largeMinimum({ pdbs, pubs }: LintView): readonly Hit[] {
  const ofPdbs = pdbs.flatMap(({ object, state }) =>
    [...state.units.keys()].flatMap((group) => {
      const minimum = state.groupMinimum?.count ?? state.boundsOf(group).enough;
      const size = group.sizes.max ?? group.pods.size;
      return minimum > size
        ? [
            {
              object,
              field: minimumField,
              message: `group ${group.display} has ${size} pods, and serves with ${minimum}`,
            },
          ]
        : [];
    }),
  );
  const ofPubs = pubs.flatMap(({ object, state }) =>
    [...state.units.values()].flatMap((unit) => {
      const stated = [...unit.pods].flatMap(({ claims }) => claims.map(({ size = 0 }) => size));
      const size = Math.max(unit.pods.size, ...stated);
      const message = `group ${unit.display} has ${size} pods, and minReadyReplicas is ${state.minimum}`;
      return state.minimum > size ? [{ object, field: readyField, message }] : [];
    }),
  );
  return [...onePerObject(ofPdbs), ...onePerObject(ofPubs)];
}

/** A group that its owner replaces as a whole, and a budget that counts it as available with fewer pods. */
function smallMinimum({ pubs }: LintView): readonly Hit[] {
  const hits = pubs.flatMap(({ object, state }) =>
    [...state.units.values()].flatMap(({ display, statedSize = 0 }) => {
      const message = `group ${display} has ${statedSize} pods, and minReadyReplicas is ${state.minimum}`;
      return state.rules?.groups !== undefined && statedSize > state.minimum
        ? [{ object, field: readyField, message }]
        : [];
    }),
  );
  return onePerObject(hits);
}

function onePerObject(hits: readonly Hit[]): readonly Hit[] {
  return hits.filter(({ object }, index) => hits.findIndex((other) => other.object === object) === index);
}

export const selectionRules: readonly Rule[] = [
  {
    code: 'HF004',
    name: 'budget-selects-nothing',
    severity: 'warning',
    why: 'A budget without pods protects nothing; usually the selector no longer matches the pod labels.',
    fix: 'Make the selector match the labels of the pod template, or delete the budget. Check it together with its workloads.',
    check: selectsNothing,
  },
  {
    code: 'HF005',
    name: 'pods-counted-where-groups-serve',
    severity: 'warning',
    why: 'A group that has lost one pod does not serve, and a budget that counts pods may allow one eviction from every group.',
    fix: 'Let a PodDisruptionBudget count groups (annotation holdfast.dev/budget-scope: PodGroup), or give a PodUnavailableBudget a podGroupPolicy.',
    check: countsPods,
  },
  {
    code: 'HF006',
    name: 'two-plain-budgets',
    severity: 'error',
    why: 'The eviction API cannot handle a pod under two PodDisruptionBudgets: it answers 500, and drains do not get past it.',
    fix: 'Leave one budget over these pods, or let selectors exclude each other.',
    check: (view) => overlaps(view, plainPdbs),
  },
  {
    code: 'HF007',
    name: 'several-budgets',
    severity: 'warning',
    why: 'All of these budgets must allow an eviction; that is seldom intended.',
    fix: 'Leave one budget over these pods.',
    check: (view) => overlaps(view, (pod) => (plainPdbs(pod).length > 1 ? [] : allBudgets(pod))),
  },
  {
    code: 'HF008',
    name: 'minimum-larger-than-group',
    severity: 'error',
    why: 'A group that never has as many pods as it needs never serves, and the budget is never met. A minReadyReplicas or group-min-available that no group can reach counts as the full size, where that is known.',
    fix: 'Lower holdfast.dev/group-min-available, minReadyReplicas or minCount to at most the size of the group.',
    check: largeMinimum,
  },
  {
    code: 'HF015',
    name: 'group-not-resolved',
    severity: 'error',
    why: 'A budget that counts groups refuses every pod whose group is unknown.',
    fix: 'Name the label that makes the groups (holdfast.dev/group-label), or select only pods that are in groups.',
    check: unresolved,
  },
  {
    code: 'HF017',
    name: 'minimum-smaller-than-group',
    severity: 'warning',
    why: 'Pods above minReadyReplicas may be evicted at no cost, one of every group at once; the owner of a LeaderWorkerSet group then replaces the whole group. The default of minReadyReplicas is 1.',
    fix: 'Set minReadyReplicas to the size of the group, unless the group serves with fewer pods.',
    check: smallMinimum,
  },
];
