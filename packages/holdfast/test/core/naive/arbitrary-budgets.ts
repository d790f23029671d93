import fc from 'fast-check';
import type { IntOrString } from '../../../../base/src/int-or-string.ts';
import type { LabelSelector } from '../../../../base/src/meta.ts';
import { annotation } from '../../../src/api/names.ts';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import type { PodUnavailableBudget, TargetReference } from '../../../src/api/pub/pub.ts';
import { mostly, rarely } from './arbitrary-pods.ts';
import { cast, scenes } from './domain.ts';

export const pdbNames = ['p1', 'p2', 'p3'] as const;
export const pubNames = ['u1', 'u2', 'u3'] as const;

const amounts: fc.Arbitrary<IntOrString> = fc.constantFrom<IntOrString>(
  0,
  1,
  1,
  1,
  1,
  2,
  2,
  3,
  '0%',
  '30%',
  '30%',
  '50%',
  '100%',
);

const anySelector: fc.Arbitrary<LabelSelector> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ matchLabels: { app: 'x' } }) },
  {
    weight: 5,
    arbitrary: fc.constantFrom<LabelSelector>(
      { matchLabels: { app: 'y' } },
      { matchLabels: { app: 'x', shard: '0' } },
      { matchLabels: { shard: '0' } },
      { matchExpressions: [{ key: 'app', operator: 'In', values: ['x', 'y'] }] },
      { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['y'] }] },
      { matchExpressions: [{ key: 'shard', operator: 'Exists' }] },
      { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] },
      { matchExpressions: [{ key: 'leaderworkerset.sigs.k8s.io/name', operator: 'Exists' }] },
      { matchExpressions: [{ key: 'jobset.sigs.k8s.io/job-key', operator: 'Exists' }] },
      { matchExpressions: [{ key: 'kueue.x-k8s.io/pod-group-name', operator: 'Exists' }] },
    ),
  },
);

export const groupLabels = ['shard', 'leaderworkerset.sigs.k8s.io/group-index', 'app'] as const;

/** All scopes, and what people get wrong. */
const anyScope: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.constant({ [annotation.budgetScope]: 'Pod' }) },
  { weight: 12, arbitrary: anyGroupScope() },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Readonly<Record<string, string>>>(
      { [annotation.budgetScope]: 'Group' },
      { [annotation.groupLabel]: 'shard' },
      { [annotation.budgetScope]: 'PodGroup', [annotation.groupMinAvailable]: '0' },
      { [annotation.budgetScope]: 'PodGroup', [annotation.groupLabel]: '-' },
      { [annotation.takeover]: 'no' },
    ),
  },
);

function anyGroupScope(): fc.Arbitrary<Readonly<Record<string, string>>> {
  return fc
    .record({
      groupLabel: fc.oneof(fc.constant(undefined), fc.constantFrom(...groupLabels)),
      minimum: fc.constantFrom(undefined, undefined, 'all', '1', '2', '3', '5'),
    })
    .map(({ groupLabel, minimum }) => ({
      [annotation.budgetScope]: 'PodGroup',
      ...(groupLabel === undefined ? {} : { [annotation.groupLabel]: groupLabel }),
      ...(minimum === undefined ? {} : { [annotation.groupMinAvailable]: minimum }),
    }));
}

const podNames = scenes.flat().map(({ name }) => name);

/** What the disruption controller and the built-in check wrote: mostly nothing is said, so that the rest is heard. */
const anyStatus: fc.Arbitrary<PodDisruptionBudget['status']> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  {
    weight: 2,
    arbitrary: fc.record({
      observedGeneration: mostly(2, 1),
      disruptionsAllowed: fc.constantFrom(1, 1, 2, 0),
      disruptedPods: fc
        .subarray(podNames, { maxLength: 3 })
        .map((names) => Object.fromEntries(names.map((name) => [name, '2026-01-01T00:00:00Z']))),
    }),
  },
);

export function anyPdb(namespace: string): fc.Arbitrary<PodDisruptionBudget> {
  return fc
    .record({
      name: fc.constantFrom(...pdbNames),
      selector: fc.oneof(
        { weight: 12, arbitrary: anySelector },
        { weight: 1, arbitrary: fc.constantFrom<LabelSelector | null | undefined>({}, null, undefined) },
      ),
      side: fc.constantFrom('minAvailable', 'maxUnavailable'),
      amount: amounts,
      scope: anyScope,
      policy: fc.constantFrom(undefined, 'IfHealthyBudget', 'AlwaysAllow', 'AlwaysAllow', 'Sometimes'),
      takeover: mostly<string | undefined>(undefined, 'disabled'),
      life: mostly(1, 2),
      status: anyStatus,
    })
    .map(({ life, name, selector, side, amount, scope, policy, takeover, status }) => ({
      metadata: {
        name,
        namespace,
        uid: `pdb-${name}-${life}`,
        generation: 2,
        annotations: { ...(takeover === undefined ? {} : { [annotation.takeover]: takeover }), ...scope },
      },
      spec: {
        ...(selector === undefined ? {} : { selector }),
        [side]: amount,
        ...(policy === undefined ? {} : { unhealthyPodEvictionPolicy: policy }),
      },
      ...(status === undefined ? {} : { status }),
    }));
}

/** The version may differ from the one in the owner references: it must not matter. */
const anyTarget: fc.Arbitrary<TargetReference> = fc
  .tuple(fc.constantFrom('web', 'webNew', 'db', 'llm', 'llmLeaders', 'sets', 'train'), mostly(false, true))
  .map(([name, other]) => {
    const owner = cast[name];
    const apiVersion = owner?.apiVersion ?? '';
    return {
      apiVersion: other ? apiVersion.replace(/\/.*$/, '/v0') : apiVersion,
      kind: owner?.kind ?? '',
      name: owner?.name ?? '',
    };
  });

const operationLists = [
  ['DELETE'],
  ['EVICT', 'UPDATE'],
  ['RESIZE', 'EVICT'],
  [],
  ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'],
];

const anyGroupPolicy = fc.record(
  { groupLabelKey: fc.constantFrom(...groupLabels), minReadyReplicas: fc.constantFrom(1, 2, 2, 3, 5) },
  { requiredKeys: ['groupLabelKey'] },
);

/** One field that cannot be read, each in its own way. */
const mistakes: readonly Readonly<Record<string, unknown>>[] = [
  { protectOperations: ['REMOVE'] },
  { maxUnavailable: '200%' },
  { protectTotalReplicas: 0 },
  { selector: {}, targetRef: null },
  { podGroupPolicy: { groupLabelKey: '' } },
];

export function anyPub(namespace: string): fc.Arbitrary<PodUnavailableBudget> {
  return fc
    .record({
      name: fc.constantFrom(...pubNames),
      about: fc.oneof(
        { weight: 3, arbitrary: anySelector.map((selector) => ({ selector })) },
        { weight: 3, arbitrary: anyTarget.map((targetRef) => ({ targetRef })) },
        { weight: 1, arbitrary: fc.record({ selector: anySelector, targetRef: anyTarget }) },
      ),
      max: fc.option(amounts, { nil: undefined }),
      min: amounts,
      both: fc.boolean(),
      groups: fc.option(anyGroupPolicy, { nil: undefined }),
      operations: fc.oneof(fc.constant(undefined), fc.constantFrom(...operationLists)),
      total: mostly<number | undefined>(undefined, 2, 4),
      ignored: mostly<LabelSelector | undefined>(
        undefined,
        { matchLabels: { shard: '1' } },
        { matchLabels: { app: 'y' } },
      ),
      observed: rarely<number | undefined>('usual', 2, fc.constantFrom(1, 3, undefined)),
      mistake: rarely<Readonly<Record<string, unknown>>>('usual', {}, fc.constantFrom(...mistakes)),
      takeover: mostly<string | undefined>(undefined, 'disabled', 'no'),
      life: mostly(1, 2),
    })
    .map(({ life, name, about, max, min, both, groups, operations, total, ignored, observed, mistake, takeover }) => ({
      apiVersion: 'policy.kruise.io/v1beta1',
      kind: 'PodUnavailableBudget',
      metadata: {
        name,
        namespace,
        uid: `pub-${name}-${life}`,
        generation: 2,
        ...(takeover === undefined ? {} : { annotations: { [annotation.takeover]: takeover } }),
      },
      spec: {
        ...about,
        ...(max === undefined ? {} : { maxUnavailable: max }),
        ...(max === undefined || both ? { minAvailable: min } : {}),
        ...(groups === undefined ? {} : { podGroupPolicy: groups }),
        ...(operations === undefined ? {} : { protectOperations: operations }),
        ...(total === undefined ? {} : { protectTotalReplicas: total }),
        ...(ignored === undefined ? {} : { ignoredPodSelector: ignored }),
        ...mistake,
      },
      ...(observed === undefined ? {} : { status: { observedGeneration: observed } }),
    }));
}
