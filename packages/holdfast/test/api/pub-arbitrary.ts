import fc from 'fast-check';
import { unchecked } from '../../../../test/support/unchecked.ts';
import { type PodUnavailableBudget, protectOperations } from '../../src/api/pub/pub.ts';

const key = fc.constantFrom('app', 'tier', 'x.io/shard', 'constructor');
const value = fc.constantFrom('', 'a', 'b', 'web-1');

const selector = fc.record(
  {
    matchLabels: fc.dictionary(key, value, { minKeys: 1, maxKeys: 3 }),
    matchExpressions: fc.array(
      fc.record({
        key,
        operator: fc.constantFrom('In', 'NotIn'),
        values: fc.array(value, { minLength: 1, maxLength: 2 }),
      }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ['matchLabels'] },
);

const target = fc.oneof(
  fc.record({ selector }),
  fc.record({
    targetRef: fc.record({
      apiVersion: fc.constantFrom('apps/v1', 'v1'),
      kind: fc.constantFrom('Deployment', 'LeaderWorkerSet'),
      name: fc.constantFrom('web', 'api'),
    }),
  }),
);

const amount = fc.oneof(
  fc.nat({ max: 1_000 }),
  fc.nat({ max: 100 }).map((percent) => `${percent}%`),
);
const groups = fc.record(
  { groupLabelKey: key, minReadyReplicas: fc.integer({ min: 1, max: 9 }) },
  { requiredKeys: ['groupLabelKey'] },
);
const amounts = fc.oneof(
  fc.record({ maxUnavailable: amount }),
  fc.record({ minAvailable: amount, podGroupPolicy: groups }),
  fc.record({ maxUnavailable: amount, minAvailable: amount, podGroupPolicy: groups }),
);

const operation = fc.constantFrom(...protectOperations);
const blank = fc.constantFrom('', ' ');
const operationsText = fc
  .array(fc.tuple(blank, operation, blank), { minLength: 1, maxLength: 4 })
  .map((words) => words.map((parts) => parts.join('')).join(','));

/** Each setting is spelt in the spec, in the annotation, in both (the totals then agree) or nowhere. */
const settings = fc
  .record(
    {
      operations: fc.array(operation, { maxLength: 4 }),
      operationsText,
      total: fc.integer({ min: 1, max: 50 }),
      totalText: fc.constantFrom('', '+', '00'),
    },
    { requiredKeys: [] },
  )
  .chain((setting) => fc.record({ setting: fc.constant(setting), total: fc.integer({ min: 1, max: 50 }) }))
  .map(({ setting, total }) => ({
    spec: {
      ...(setting.operations === undefined ? {} : { protectOperations: setting.operations }),
      ...(setting.total === undefined ? {} : { protectTotalReplicas: setting.total }),
    },
    annotations: {
      ...(setting.operationsText === undefined ? {} : { 'kruise.io/pub-protect-operations': setting.operationsText }),
      ...(setting.totalText === undefined
        ? {}
        : { 'pub.kruise.io/protect-total-replicas': `${setting.totalText}${setting.total ?? total}` }),
    },
  }));

/** Random PodUnavailableBudgets that pass validation, in either version, with what they may carry beside. */
export function validPub(): fc.Arbitrary<PodUnavailableBudget> {
  return fc
    .record({
      version: fc.constantFrom('v1alpha1', 'v1beta1'),
      target,
      amounts,
      settings,
      ignored: fc.option(selector, { nil: undefined }),
      others: fc.dictionary(fc.constantFrom('example.com/a', 'holdfast.dev/note', 'b'), fc.string(), { maxKeys: 2 }),
      status: fc.option(fc.record({ unavailableAllowed: fc.nat() }), { nil: undefined }),
    })
    .map(({ version, target, amounts, settings, ignored, others, status }) => {
      const annotations = { ...others, ...settings.annotations };
      return unchecked<PodUnavailableBudget>({
        apiVersion: `policy.kruise.io/${version}`,
        kind: 'PodUnavailableBudget',
        metadata: {
          name: 'mine',
          namespace: 'shop',
          ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
        },
        spec: {
          ...target,
          ...amounts,
          ...settings.spec,
          ...(ignored === undefined ? {} : { ignoredPodSelector: ignored }),
        },
        ...(status === undefined ? {} : { status }),
      });
    });
}
