import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ruleMatches } from '../../../../embedded-cluster/src/admission/webhooks/rule-match.ts';
import { type AdmissionRule, isCovered, podEviction } from '../../../src/observe/foreign-webhooks/rule-match.ts';

const exact: AdmissionRule = {
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['pods/eviction'],
  scope: 'Namespaced',
};

const cases: readonly (readonly [string, Partial<AdmissionRule>, boolean])[] = [
  ['names it', {}, true],
  ['any group', { apiGroups: ['*'] }, true],
  ['the group of the Eviction object, which is not that of pods', { apiGroups: ['policy'] }, false],
  ['several groups, the core one among them', { apiGroups: ['apps', ''] }, true],
  ['any version', { apiVersions: ['*'] }, true],
  ['another version', { apiVersions: ['v1beta1'] }, false],
  ['any operation', { operations: ['*'] }, true],
  ['deletions', { operations: ['DELETE', 'UPDATE'] }, false],
  ['pods alone', { resources: ['pods'] }, false],
  ['every subresource of pods', { resources: ['pods/*'] }, true],
  ['everything', { resources: ['*/*'] }, true],
  ['this subresource of everything', { resources: ['*/eviction'] }, true],
  ['every resource, but no subresource', { resources: ['*'] }, false],
  ['another subresource', { resources: ['pods/exec', '*/scale'] }, false],
  ['several resources, this one last', { resources: ['*', 'pods/eviction'] }, true],
  ['any scope', { scope: '*' }, true],
  ['what is outside of namespaces', { scope: 'Cluster' }, false],
  ['nothing', { resources: [] }, false],
];

describe('whether a rule is about evictions of pods', () => {
  test.each(cases)('%s', (_, change, expected) => {
    expect(isCovered([{ ...exact, ...change }], podEviction)).toBe(expected);
  });

  it('one of several rules is enough', () => {
    expect(isCovered([{ ...exact, operations: ['UPDATE'] }, exact], podEviction)).toBe(true);
    expect(isCovered([], podEviction)).toBe(false);
  });
});

it('any rule is read as the embedded API server reads it', () => {
  const some = (...values: readonly string[]) => fc.subarray([...values]);
  const rule = fc.record({
    operations: some('CREATE', 'UPDATE', '*'),
    apiGroups: some('', 'apps', '*'),
    apiVersions: some('v1', 'v2', '*'),
    resources: some('pods', 'pods/eviction', 'pods/*', '*', '*/*', '*/eviction', 'nodes'),
    scope: fc.constantFrom('*', 'Namespaced', 'Cluster'),
  });
  const request = fc.record({
    operation: fc.constantFrom('CREATE' as const, 'UPDATE' as const),
    group: fc.constantFrom('', 'apps'),
    version: fc.constantFrom('v1', 'v2'),
    resource: fc.constantFrom('pods', 'services'),
    subresource: fc.constantFrom('', 'eviction', 'resize'),
  });
  fc.assert(
    fc.property(rule, request, (one, asked) => {
      expect(isCovered([one], asked)).toBe(ruleMatches(one, { ...asked, clusterScoped: false }));
    }),
    { numRuns: 2_000 },
  );
});
