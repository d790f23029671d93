import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { table } from '../../../../test/support/table.ts';
import { hostileJson } from '../../../../test/support/unchecked.ts';
import { invalid, notSupported, required } from '../../src/field-errors.ts';
import { matches, parseSelector, type Requirement, selectEverything } from '../../src/labels/label-selector.ts';

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

describe('parseSelector', () => {
  table(
    [
      { name: 'reads no requirement from an empty selector', source: {}, want: [] },
      { name: 'takes null parts for absent', source: { matchLabels: null, matchExpressions: null }, want: [] },
      {
        name: 'reads matchLabels as In with one value',
        source: { matchLabels: { app: 'web', tier: '' } },
        want: [
          { op: 'In', key: 'app', values: ['web'] },
          { op: 'In', key: 'tier', values: [''] },
        ],
      },
      {
        name: 'reads every operator',
        source: {
          matchExpressions: [
            { key: 'a', operator: 'In', values: ['x', 'y'] },
            { key: 'b', operator: 'NotIn', values: ['x'] },
            { key: 'c', operator: 'Exists' },
            { key: 'd', operator: 'DoesNotExist', values: [] },
          ],
        },
        want: [
          { op: 'In', key: 'a', values: ['x', 'y'] },
          { op: 'NotIn', key: 'b', values: ['x'] },
          { op: 'Exists', key: 'c' },
          { op: 'DoesNotExist', key: 'd' },
        ],
      },
    ],
    ({ source, want }) => {
      expect(parseSelector(source, 's')).toEqual({ ok: true, value: want });
    },
  );

  const noName = 'name part must be non-empty';
  table(
    [
      { name: 'refuses null', source: null, want: [invalid('s', null, 'must be an object')] },
      { name: 'refuses a string', source: 'app=web', want: [invalid('s', 'app=web', 'must be an object')] },
      { name: 'refuses a list', source: [], want: [invalid('s', [], 'must be an object')] },
      {
        name: 'refuses matchLabels that are a number',
        source: { matchLabels: 5 },
        want: [invalid('s.matchLabels', 5, 'must be an object')],
      },
      {
        name: 'refuses matchLabels that are a list',
        source: { matchLabels: ['a'] },
        want: [invalid('s.matchLabels', ['a'], 'must be an object')],
      },
      {
        name: 'refuses a label value that is not a string',
        source: { matchLabels: { app: 1 } },
        want: [invalid('s.matchLabels[app]', 1, 'must be a string')],
      },
      {
        name: 'refuses a bad label key',
        source: { matchLabels: { '': 'x' } },
        want: [invalid('s.matchLabels', '', noName)],
      },
      {
        name: 'refuses matchExpressions that are an object',
        source: { matchExpressions: {} },
        want: [invalid('s.matchExpressions', {}, 'must be a list')],
      },
      {
        name: 'refuses an expression that is null',
        source: { matchExpressions: [null] },
        want: [invalid('s.matchExpressions[0]', null, 'must be an object')],
      },
      {
        name: 'refuses an unknown operator and a missing key, and says both',
        source: { matchExpressions: [{ operator: 'Gt', values: ['1'] }] },
        want: [
          invalid('s.matchExpressions[0].key', undefined, noName),
          notSupported('s.matchExpressions[0].operator', 'Gt', operators),
        ],
      },
      {
        name: 'refuses a missing operator',
        source: { matchExpressions: [{ key: 'a' }] },
        want: [notSupported('s.matchExpressions[0].operator', undefined, operators)],
      },
      {
        name: 'refuses In without values',
        source: { matchExpressions: [{ key: 'a', operator: 'In' }] },
        want: [required('s.matchExpressions[0].values', 'must be specified when `operator` is In or NotIn')],
      },
      {
        name: 'refuses NotIn with an empty list',
        source: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: [] }] },
        want: [required('s.matchExpressions[0].values', 'must be specified when `operator` is In or NotIn')],
      },
      {
        name: 'refuses Exists with values',
        source: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] },
        want: [
          invalid(
            's.matchExpressions[0].values',
            ['x'],
            'may not be specified when `operator` is Exists or DoesNotExist',
          ),
        ],
      },
      {
        name: 'refuses values that are a string',
        source: { matchExpressions: [{ key: 'a', operator: 'In', values: 'xy' }] },
        want: [invalid('s.matchExpressions[0].values', 'xy', 'must be a list')],
      },
      {
        name: 'names the value that is wrong',
        source: { matchExpressions: [{ key: 'a', operator: 'In', values: ['x', 2] }] },
        want: [invalid('s.matchExpressions[0].values[1]', 2, 'must be a string')],
      },
      {
        name: 'collects the errors of both parts',
        source: { matchLabels: { a: null }, matchExpressions: [7] },
        want: [
          invalid('s.matchLabels[a]', null, 'must be a string'),
          invalid('s.matchExpressions[0]', 7, 'must be an object'),
        ],
      },
    ],
    ({ source, want }) => {
      expect(parseSelector(source, 's')).toEqual({ ok: false, errors: want });
    },
  );

  it('never throws, and what it accepts can be matched', () => {
    const words = ['matchLabels', 'matchExpressions', 'key', 'operator', 'values', ...operators];
    fc.assert(
      fc.property(hostileJson(words), (source) => {
        const result = parseSelector(source, 's');
        if (result.ok) expect(typeof matches(result.value, { key: 'values' })).toBe('boolean');
        else expect(result.errors.length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('matches', () => {
  const cases: { name: string; requirement: Requirement; labels: Record<string, string>; want: boolean }[] = [
    {
      name: 'In wants one of the values',
      requirement: { op: 'In', key: 'a', values: ['x', 'y'] },
      labels: { a: 'y' },
      want: true,
    },
    {
      name: 'In refuses another value',
      requirement: { op: 'In', key: 'a', values: ['x'] },
      labels: { a: 'z' },
      want: false,
    },
    { name: 'In refuses absence', requirement: { op: 'In', key: 'a', values: ['x'] }, labels: {}, want: false },
    {
      name: 'NotIn refuses the value',
      requirement: { op: 'NotIn', key: 'a', values: ['x'] },
      labels: { a: 'x' },
      want: false,
    },
    {
      name: 'NotIn accepts another value',
      requirement: { op: 'NotIn', key: 'a', values: ['x'] },
      labels: { a: 'y' },
      want: true,
    },
    { name: 'NotIn accepts absence', requirement: { op: 'NotIn', key: 'a', values: ['x'] }, labels: {}, want: true },
    { name: 'Exists accepts the empty value', requirement: { op: 'Exists', key: 'a' }, labels: { a: '' }, want: true },
    { name: 'Exists refuses absence', requirement: { op: 'Exists', key: 'a' }, labels: { b: '' }, want: false },
    { name: 'DoesNotExist accepts absence', requirement: { op: 'DoesNotExist', key: 'a' }, labels: {}, want: true },
    {
      name: 'DoesNotExist refuses a value',
      requirement: { op: 'DoesNotExist', key: 'a' },
      labels: { a: '' },
      want: false,
    },
    {
      name: 'a label named like a prototype member is not there',
      requirement: { op: 'Exists', key: 'constructor' },
      labels: {},
      want: false,
    },
  ];
  table(cases, ({ requirement, labels, want }) => {
    expect(matches([requirement], labels)).toBe(want);
  });

  it('wants every requirement', () => {
    const selector: Requirement[] = [
      { op: 'Exists', key: 'a' },
      { op: 'Exists', key: 'b' },
    ];
    expect(matches(selector, { a: '', b: '' })).toBe(true);
    expect(matches(selector, { a: '' })).toBe(false);
  });

  it('selects everything without any', () => {
    expect(matches(selectEverything, {})).toBe(true);
  });
});
