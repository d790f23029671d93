import { Backoff } from '../../kube/time/backoff.ts';
import { type Clock, sleep } from '../../kube/time/clock.ts';
import type { Random } from '../../kube/time/random.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { CertificateMetrics } from './certificate-metrics.ts';
import type { ChangeSignal } from './change-signal.ts';
import { nothingSeen, type Sightings } from './observe.ts';
import { certificateRound, type Round, type RoundOptions, type Write } from './round.ts';
import { lostRace } from './store.ts';

export interface LeadOptions extends Omit<RoundOptions, 'now'> {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: CertificateMetrics;
  /** Wakes this loop when a watch shows a change of the Secret or of a configuration. */
  readonly changes: ChangeSignal;
}

/** The first retry comes soon, because a new cluster waits for its certificate. A write that always fails is retried seldom. */
const backoffLimits = { baseMs: 50, capMs: 30_000 };
/** A leader that lost a write race only has to read again. */
const raceLimits = { baseMs: 20, capMs: 1_000 };
/** Another writer that changes the objects without pause must not keep the leader in a busy loop. */
const pauseMs = 100;
/** NTP slews a wall clock by less between two rounds. A larger difference: the clock was set, and the times in `Sightings` are wrong. */
const maxDriftMs = 5_000;

/** The leader's loop: one round at every change and whenever a step becomes due, until the signal aborts. */
export async function leadCertificates(options: LeadOptions, signal: AbortSignal): Promise<void> {
  const { clock, changes, random } = options;
  const backoff = new Backoff(backoffLimits, random);
  const races = new Backoff(raceLimits, random);
  let sightings = nothingSeen;
  let offset = offsetOf(clock);
  while (!signal.aborted) {
    changes.clear();
    if (Math.abs(offsetOf(clock) - offset) > maxDriftMs) sightings = nothingSeen;
    offset = offsetOf(clock);
    const round = await safeRound(options, sightings, signal);
    if (signal.aborted) return;
    report(options, round);
    sightings = sightingsAfter(round, sightings);
    if (round?.kind !== 'planned' || round.writes.length > 0) {
      await sleep(clock, (onlyLostRaces(round) ? races : backoff).next(), signal);
      continue;
    }
    for (const one of [backoff, races]) one.reset();
    await sleep(clock, pauseMs, signal);
    const againMs = Math.min(round.plan.againMs, round.paths.againMs);
    await changes.wait(clock, againMs - clock.now(), signal);
  }
}

function onlyLostRaces(round: Round | undefined): boolean {
  return round?.kind === 'planned' && round.writes.every(({ failure }) => failure !== undefined && lostRace(failure));
}

function offsetOf(clock: Clock): number {
  return clock.now() - clock.monotonic();
}

/** Undefined: the round threw, which is a mistake of ours and was logged. The loop goes on, or certificates would expire. */
async function safeRound(options: LeadOptions, sightings: Sightings, signal: AbortSignal): Promise<Round | undefined> {
  try {
    return await certificateRound({ ...options, now: () => options.clock.now() }, sightings, signal);
  } catch (error) {
    options.log.error('reconciling certificates failed', { error });
    return undefined;
  }
}

function sightingsAfter(round: Round | undefined, before: Sightings): Sightings {
  return round?.kind === 'planned' ? round.sightings : before;
}

function report({ log, metrics }: LeadOptions, round: Round | undefined): void {
  if (round === undefined) return;
  if (round.kind === 'unread') {
    log.warn('certificates cannot be reconciled', { kind: round.failure.kind, error: round.failure.message });
    return;
  }
  if (round.problems.length > 0)
    log.warn('the Secret of the certificates has content that cannot be used', { problems: round.problems });
  const { step } = round.plan;
  for (const write of round.writes) {
    metrics.wrote(write.what, resultOf(write));
    const why = 'why' in step && write.what === step.kind ? step.why : undefined;
    if (write.failure === undefined) log.info('certificates were renewed', { what: write.what, why });
    else if (lostRace(write.failure)) log.debug('another replica changed the certificates first', { what: write.what });
    else log.warn('certificates cannot be written', { what: write.what, error: write.failure.message });
  }
}

function resultOf({ failure }: Write): 'done' | 'conflict' | 'failed' {
  if (failure === undefined) return 'done';
  return lostRace(failure) ? 'conflict' : 'failed';
}
