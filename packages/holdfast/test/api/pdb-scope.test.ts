import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { table } from '../../../../test/support/table.ts';
import { hostileJson, unchecked } from '../../../../test/support/unchecked.ts';
import { invalid, misspelt, notSupported, required } from '../../../base/src/field-errors.ts';
import type { PodDisruptionBudget } from '../../src/api/pdb.ts';
import { parsePdbScope } from '../../src/api/pdb-scope.ts';
import { parseTakeover } from '../../src/api/takeover.ts';

const scope = 'holdfast.dev/budget-scope';
const label = 'holdfast.dev/group-label';
const minimum = 'holdfast.dev/group-min-available';
const takeover = 'holdfast.dev/takeover';

function pdb(annotations: unknown, spec?: unknown): PodDisruptionBudget {
  return unchecked({ metadata: { name: 'b', annotations }, spec });
}

describe('parsePdbScope', () => {
  table(
    [
      { name: 'is automatic when nothing is said', source: pdb(undefined), want: { kind: 'automatic' } },
      { name: 'is automatic when everything is null', source: pdb(null, null), want: { kind: 'automatic' } },
      {
        name: 'is automatic when the field is null',
        source: pdb({}, { budgetScope: null }),
        want: { kind: 'automatic' },
      },
      { name: 'reads Pod from the annotation', source: pdb({ [scope]: 'Pod' }), want: { kind: 'pod' } },
      { name: 'reads PodGroup from the annotation', source: pdb({ [scope]: 'PodGroup' }), want: { kind: 'group' } },
      { name: 'reads PodGroup from the field', source: pdb({}, { budgetScope: 'PodGroup' }), want: { kind: 'group' } },
      {
        name: 'accepts two places that agree',
        source: pdb({ [scope]: 'Pod' }, { budgetScope: 'Pod' }),
        want: { kind: 'pod' },
      },
      {
        name: 'reads the label and the number of pods',
        source: pdb({ [scope]: 'PodGroup', [label]: 'x.io/shard', [minimum]: '4' }),
        want: { kind: 'group', labelKey: 'x.io/shard', minimum: 4 },
      },
      {
        name: 'reads the minimum all without a label',
        source: pdb({ [scope]: 'PodGroup', [minimum]: 'all' }),
        want: { kind: 'group', minimum: 'all' },
      },
      {
        name: 'reads the label beside the field',
        source: pdb({ [label]: 'shard' }, { budgetScope: 'PodGroup' }),
        want: { kind: 'group', labelKey: 'shard' },
      },
    ],
    ({ source, want }) => {
      expect(parsePdbScope(source)).toEqual({ ok: true, value: want });
    },
  );

  const at = (key: string) => `metadata.annotations[${key}]`;
  const alone = 'is read only together with holdfast.dev/budget-scope: PodGroup';
  const notANumber = 'must be a positive integer or "all"';
  table(
    [
      {
        name: 'refuses an unknown word in the annotation',
        source: pdb({ [scope]: 'podgroup' }),
        want: [misspelt(at(scope), 'podgroup', ['Pod', 'PodGroup'])],
      },
      {
        name: 'refuses an unknown word in the field',
        source: pdb({}, { budgetScope: 'Group' }),
        want: [notSupported('spec.budgetScope', 'Group', ['Pod', 'PodGroup'])],
      },
      {
        name: 'refuses a field that is not a string',
        source: pdb({}, { budgetScope: 7 }),
        want: [notSupported('spec.budgetScope', 7, ['Pod', 'PodGroup'])],
      },
      {
        name: 'refuses two places that disagree',
        source: pdb({ [scope]: 'Pod' }, { budgetScope: 'PodGroup' }),
        want: [invalid(at(scope), 'Pod', 'contradicts spec.budgetScope PodGroup')],
      },
      {
        name: 'refuses a label that no pod can have',
        source: pdb({ [scope]: 'PodGroup', [label]: '/x' }),
        want: [invalid(at(label), '/x', 'prefix part must be a lowercase DNS subdomain of at most 253 characters')],
      },
      ...['0', '-1', '1.5', '', 'All', '01', '1234567890'].map((text) => ({
        name: `refuses the minimum "${text}"`,
        source: pdb({ [scope]: 'PodGroup', [minimum]: text }),
        want: [invalid(at(minimum), text, notANumber)],
      })),
      {
        name: 'refuses a label without the scope',
        source: pdb({ [label]: 'shard' }),
        want: [invalid(at(label), 'shard', alone)],
      },
      {
        name: 'refuses label and minimum with the scope Pod, and names both',
        source: pdb({ [scope]: 'Pod', [label]: 'shard', [minimum]: '2' }),
        want: [invalid(at(label), 'shard', alone), invalid(at(minimum), '2', alone)],
      },
      {
        name: 'refuses an annotation that is not a string',
        source: pdb({ [minimum]: 2 }),
        want: [invalid(at(minimum), 2, 'must be a string')],
      },
      {
        name: 'refuses annotations that are a list',
        source: pdb([]),
        want: [invalid('metadata.annotations', [], 'must be an object')],
      },
      {
        name: 'refuses a spec that is a string',
        source: pdb({}, 'x'),
        want: [invalid('spec', 'x', 'must be an object')],
      },
      {
        name: 'refuses an object without metadata',
        source: unchecked<PodDisruptionBudget>({}),
        want: [required('metadata', 'must be an object')],
      },
      {
        name: 'refuses metadata that is a number',
        source: unchecked<PodDisruptionBudget>({ metadata: 3 }),
        want: [invalid('metadata', 3, 'must be an object')],
      },
    ],
    ({ source, want }) => {
      expect(parsePdbScope(source)).toEqual({ ok: false, errors: want });
    },
  );

  it('never throws', () => {
    const words = [
      'metadata',
      'annotations',
      'spec',
      'budgetScope',
      scope,
      label,
      minimum,
      takeover,
      'PodGroup',
      'Pod',
    ];
    fc.assert(
      fc.property(hostileJson(words), (source) => {
        for (const parse of [parsePdbScope, parseTakeover]) {
          const result = parse(unchecked(source));
          if (!result.ok) expect(result.errors.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('parseTakeover', () => {
  table(
    [
      { name: 'is on when nothing is said', source: pdb({}), want: { ok: true, value: true } },
      { name: 'is off when disabled', source: pdb({ [takeover]: 'disabled' }), want: { ok: true, value: false } },
      {
        name: 'refuses another word',
        source: pdb({ [takeover]: 'false' }),
        want: { ok: false, errors: [notSupported(`metadata.annotations[${takeover}]`, 'false', ['disabled'])] },
      },
    ],
    ({ source, want }) => {
      expect(parseTakeover(source)).toEqual(want);
    },
  );
});
