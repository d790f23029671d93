import { expect, test } from 'vitest';
import type { StatefulSet } from '../../../src/api/statefulset.ts';
import { parseRolloutOptIn, type RolloutOptIn } from '../../../src/core/rollout/opt-in.ts';
import { type SetShape, statefulSet } from './builders.ts';

const strategyKey = 'holdfast.dev/update-strategy';
const settleKey = 'holdfast.dev/rollout-settle-seconds';
const stopKey = 'holdfast.dev/rollout-stop';
const asked = { [strategyKey]: 'EnforcedRollingUpdate' };

const cases: Record<string, { set: SetShape; want: RolloutOptIn }> = {
  'the annotation opts in, and a broken pod gets 30 seconds': {
    set: { annotations: asked },
    want: { kind: 'on', settleSeconds: 30 },
  },
  'the strategy type itself opts in, where a cluster keeps it': {
    set: { annotations: {}, strategy: 'EnforcedRollingUpdate' },
    want: { kind: 'on', settleSeconds: 30 },
  },
  'both at once opt in': {
    set: { annotations: asked, strategy: 'EnforcedRollingUpdate' },
    want: { kind: 'on', settleSeconds: 30 },
  },
  'a strategy without a type is RollingUpdate': {
    set: { annotations: asked, strategy: '' },
    want: { kind: 'on', settleSeconds: 30 },
  },
  'not asked for': { set: { annotations: {} }, want: { kind: 'off', why: 'notAsked' } },
  'a settle time alone asks for nothing, valid or not': {
    set: { annotations: { [settleKey]: 'soon' } },
    want: { kind: 'off', why: 'notAsked' },
  },
  'OnDelete opts out, whatever the annotation says': {
    set: { annotations: asked, strategy: 'OnDelete' },
    want: { kind: 'off', why: 'otherStrategy', strategy: 'OnDelete' },
  },
  'Recreate opts out': {
    set: { annotations: asked, strategy: 'Recreate' },
    want: { kind: 'off', why: 'otherStrategy', strategy: 'Recreate' },
  },
  'Parallel never gets stuck and needs no help': {
    set: { policy: 'Parallel' },
    want: { kind: 'off', why: 'parallel' },
  },
  'Parallel alone asks for nothing': {
    set: { policy: 'Parallel', annotations: {} },
    want: { kind: 'off', why: 'notAsked' },
  },
  'a settle time is read': {
    set: { annotations: { ...asked, [settleKey]: '120' } },
    want: { kind: 'on', settleSeconds: 120 },
  },
  'it is stopped for the time being': {
    set: { annotations: { ...asked, [stopKey]: 'true' } },
    want: { kind: 'off', why: 'stopped' },
  },
  'a stop that is false is none': {
    set: { annotations: { ...asked, [stopKey]: 'false' } },
    want: { kind: 'on', settleSeconds: 30 },
  },
  'what was not asked for is not stopped': {
    set: { annotations: { [stopKey]: 'true' } },
    want: { kind: 'off', why: 'notAsked' },
  },
  'a settle time of 0 is allowed': {
    set: { annotations: { ...asked, [settleKey]: '0' } },
    want: { kind: 'on', settleSeconds: 0 },
  },
};

for (const [sentence, { set, want }] of Object.entries(cases)) {
  test(sentence, () => expect(parseRolloutOptIn(statefulSet(set))).toEqual(want));
}

test('[R4] a set that says nothing at all is not opted in', () => {
  const set: StatefulSet = { metadata: { name: 'web' } };
  expect(parseRolloutOptIn(set)).toEqual({ kind: 'off', why: 'notAsked' });
});

test('[R4] the annotation is enough for a set without a spec', () => {
  const set: StatefulSet = { metadata: { name: 'web', annotations: asked } };
  expect(parseRolloutOptIn(set)).toEqual({ kind: 'on', settleSeconds: 30 });
});

for (const word of ['', 'enforcedRollingUpdate', 'RollingUpdate', 'true', 'EnforcedRollingUpdate ']) {
  test(`the unknown word ${JSON.stringify(word)} is an error, not an absence`, () => {
    const set = statefulSet({ annotations: { [strategyKey]: word }, strategy: 'EnforcedRollingUpdate' });
    expect(parseRolloutOptIn(set)).toEqual({
      kind: 'invalid',
      errors: [
        {
          type: 'FieldValueNotSupported',
          field: `metadata.annotations[${strategyKey}]`,
          value: word,
          detail: `supported values: "EnforcedRollingUpdate"${/^enforced/i.test(word) ? '; did you mean "EnforcedRollingUpdate"?' : ''}`,
        },
      ],
    });
  });
}

for (const word of ['', 'True', 'yes', '1']) {
  test(`the stop ${JSON.stringify(word)} is an error, neither of the two`, () => {
    const result = parseRolloutOptIn(statefulSet({ annotations: { ...asked, [stopKey]: word } }));
    const field = `metadata.annotations[${stopKey}]`;
    expect(result).toMatchObject({ kind: 'invalid', errors: [{ type: 'FieldValueNotSupported', field, value: word }] });
  });
}

test('a mistake in the settle time is said also while it is stopped', () => {
  const result = parseRolloutOptIn(statefulSet({ annotations: { ...asked, [stopKey]: 'true', [settleKey]: 'soon' } }));
  expect(result.kind).toBe('invalid');
});

for (const word of ['', '-1', '1.5', '30s', ' 30', '1e3', '1234567890']) {
  test(`the settle time ${JSON.stringify(word)} is an error, not the default`, () => {
    const result = parseRolloutOptIn(statefulSet({ annotations: { ...asked, [settleKey]: word } }));
    expect(result).toMatchObject({
      kind: 'invalid',
      errors: [{ type: 'FieldValueInvalid', field: `metadata.annotations[${settleKey}]`, value: word }],
    });
  });
}
