import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Probe } from '../../../base/src/probes/probe-fields.ts';
import type { ProbeKind } from '../../src/nodes/probes/pod-probes.ts';
import { countOutcome, firstState, isSettled, nextBeat, rhythmOf } from '../../src/nodes/probes/probe-worker.ts';

const probe = (more: Partial<Probe> = {}): Probe => ({
  handler: { kind: 'exec', command: ['true'] },
  initialDelaySeconds: 0,
  periodSeconds: 10,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 3,
  ...more,
});

/** The results that were announced, `.` where nothing was. */
function announced(kind: ProbeKind, outcomes: string, settings: Partial<Probe> = {}): string {
  let state = firstState(kind, false);
  let text = '';
  for (const outcome of outcomes) {
    const counted = countOutcome(state, outcome === '+', kind, probe(settings));
    state = counted.state;
    text += counted.changed === undefined ? '.' : counted.changed ? '+' : '-';
    if (state.done) text += '|';
  }
  return text;
}

describe('a probe counts', () => {
  it.each([
    ['readiness', '+', {}, '+'],
    ['readiness', '---', {}, '...'],
    ['readiness', '+--+---', {}, '+.....-'],
    ['readiness', '+-+-+-', {}, '+.....'],
    ['readiness', '+---+', { successThreshold: 2 }, '.....'],
    ['readiness', '++-++', { successThreshold: 2 }, '.+...'],
    ['readiness', '+-', { failureThreshold: 1 }, '+-'],
    ['liveness', '++', {}, '..'],
    ['liveness', '+---', {}, '...-|'],
    ['startup', '--+', {}, '..+|'],
    ['startup', '---', {}, '..-|'],
  ] as const)('%s %s with %j announces %s', (kind, outcomes, settings, expected) => {
    expect(announced(kind, outcomes, settings)).toBe(expected);
  });

  it('a readiness that was there before needs no announcement, and its loss does', () => {
    const known = firstState('readiness', true);
    expect(countOutcome(known, true, 'readiness', probe()).changed).toBeUndefined();
    expect(countOutcome(known, false, 'readiness', probe({ failureThreshold: 1 })).changed).toBe(false);
  });

  it('is settled when one more of the same would change nothing', () => {
    const first = firstState('readiness', false);
    expect(isSettled(first)).toBe(false);
    expect(isSettled(countOutcome(first, true, 'readiness', probe()).state)).toBe(true);
    expect(isSettled(countOutcome(first, true, 'readiness', probe({ successThreshold: 2 })).state)).toBe(false);
  });
});

describe('the rhythm of a probe', () => {
  it('begins after the delay, spread over at most a second, and is divided by the speed', () => {
    const slow = probe({ initialDelaySeconds: 5 });
    expect(rhythmOf(slow, 1000, 0, 1)).toEqual({ firstMs: 6000, periodMs: 10_000 });
    expect(rhythmOf(slow, 1000, 0.5, 1)).toEqual({ firstMs: 6500, periodMs: 10_000 });
    expect(rhythmOf(slow, 1000, 0.5, 10)).toEqual({ firstMs: 1550, periodMs: 1000 });
  });

  it('never beats before now, nor later than one period from now', () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.integer({ min: 1, max: 1e5 }), fc.nat(1e7), (firstMs, periodMs, nowMs) => {
        const beat = nextBeat({ firstMs, periodMs }, nowMs);
        expect(beat).toBeGreaterThanOrEqual(nowMs);
        expect((beat - firstMs) % periodMs).toBe(0);
        expect(beat === firstMs || beat - nowMs < periodMs).toBe(true);
      }),
    );
  });
});
