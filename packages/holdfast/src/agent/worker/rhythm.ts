import type { Probe } from '@holdfast/base/probes/probe-fields';

export interface RhythmTerms {
  readonly probe: Pick<Probe, 'initialDelaySeconds' | 'periodSeconds'>;
  /** How long the container has been running, by the clocks that we have. */
  readonly runningForMs: number;
  /** How long this agent has been running. */
  readonly agentForMs: number;
  /** In [0, 1). */
  readonly chance: number;
}

/**
 * How long to wait before the first probe. An agent that has just started finds many pods at once, and spreads their probes over
 * their periods; later on, pods come one by one. A container that started in the future has a clock that is wrong, and gets its
 * whole delay.
 */
export function firstDelay({ probe, runningForMs, agentForMs, chance }: RhythmTerms): number {
  const periodMs = probe.periodSeconds * 1000;
  const spread = agentForMs < periodMs ? chance * periodMs : 0;
  return Math.max(spread, probe.initialDelaySeconds * 1000 - Math.max(0, runningForMs));
}

/**
 * Probes begin together, some at a time: to wake up for each of them costs as much as to ask it. With hundreds of pods on a node
 * that halves their CPU time, and a quarter of a second does not matter to a probe.
 */
const beatMs = 250;

/** The first beat at or after a moment; with periods of whole seconds every later one is, too. */
export function onBeat(moment: number): number {
  return Math.ceil(moment / beatMs) * beatMs;
}

/** The next beat after the one at `beat`, and after `now`: beats that were missed are not made up for. */
export function nextBeat(beat: number, periodMs: number, now: number): number {
  return beat + Math.max(1, Math.ceil((now - beat) / periodMs)) * periodMs;
}

/** Longer without a result, and what was found out last is not known any more: one beat may be late, not two. */
export function staleAfterMs(probe: Pick<Probe, 'periodSeconds' | 'timeoutSeconds'>): number {
  return (2 * probe.periodSeconds + probe.timeoutSeconds + 1) * 1000;
}
