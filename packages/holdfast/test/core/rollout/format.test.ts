import { expect, test } from 'vitest';
import { formatRolloutState, maxRolloutStateLength } from '../../../src/core/rollout/format.ts';
import type { ReplicaState, RolloutState } from '../../../src/core/rollout/state.ts';

const refused = (message: string): ReplicaState => ({ kind: 'blocked', why: 'refused', pod: 'web-0', message });

test('a message of others is brought onto one line', () => {
  expect(formatRolloutState(refused(' needs 2\n\thas 1\u0000\u2028now '))).toBe(
    'blocked by web-0: its deletion is refused: needs 2 has 1 now',
  );
});

test('a long message is cut, and what comes after it is still there', () => {
  const message = 'x'.repeat(10_000);
  const text = formatRolloutState({ ...refused(message), condemned: { kind: 'refused', pod: 'web-9', message } });
  expect(text.length).toBeLessThan(maxRolloutStateLength);
  expect(text).toContain('...; scale-down: the deletion of web-9 is refused: xxx');
  expect(text.endsWith('x...')).toBe(true);
});

test('a message is never cut in the middle of a character', () => {
  for (const padding of ['', 'x']) {
    expect(formatRolloutState(refused(`${padding}${'\u{1F6A2}'.repeat(300)}`))).toMatch(/\u{1F6A2}\.\.\.$/u);
  }
});

test('the longest names that Kubernetes allows fit whole', () => {
  const pod = 'p'.repeat(253);
  const message = 'm'.repeat(1_000);
  const text = formatRolloutState({
    kind: 'blocked',
    why: 'refused',
    pod,
    message,
    condemned: { kind: 'refused', pod: `q${pod.slice(1)}`, message },
  });
  expect(text).toContain(pod);
  expect(text).toContain(`q${pod.slice(1)}`);
  expect(text.length).toBeLessThan(maxRolloutStateLength);
});

test('whatever is in a state, its text is bounded', () => {
  const state: RolloutState = { kind: 'replacing', pod: 'p'.repeat(5_000), from: 'f', to: 't' };
  expect(formatRolloutState(state)).toHaveLength(maxRolloutStateLength);
});

test('an unknown strategy is quoted within bounds', () => {
  const text = formatRolloutState({ kind: 'off', why: 'otherStrategy', strategy: 'On\nDelete'.repeat(1_000) });
  expect(text).toMatch(/^off: update strategy On DeleteOn [\w .]+ replaces pods by its own rules$/);
  expect(text.length).toBeLessThan(500);
});

test('a moment beyond the calendar is still printed', () => {
  const text = formatRolloutState({ kind: 'waiting', why: 'settling', pod: 'web-0', until: 1e300 });
  expect(text).toBe(
    'waiting for web-0: not ready and on an old revision, to be replaced at +275760-09-13T00:00:00.000Z',
  );
});
