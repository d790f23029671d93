import type { VirtualClock } from '@holdfast/embedded-cluster/time';

export interface DriveTerms {
  /** Virtual milliseconds since 1970 beyond which time does not move. */
  readonly end?: number;
  /** Called when all that happens at a moment has happened, before time moves on. */
  readonly atRest?: () => void;
  /** Time stops here, though the work is not done. */
  readonly enough?: () => boolean;
}

export type Driven<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'outOfTime' };

/** Nothing is due any more and the work is not done: that is a mistake of ours, and not one of the cluster. */
class Standstill extends Error {
  override readonly name = 'Standstill';
}

/** So often something may happen at one moment; more would be two parts that call each other forever. */
const maxStepsAtOnce = 1_000_000;

/** Lets virtual time go on until some work is done. */
export async function drive<T>(clock: VirtualClock, work: Promise<T>, terms: DriveTerms = {}): Promise<Driven<T>> {
  const { end = Number.POSITIVE_INFINITY, atRest, enough } = terms;
  const outcome = outcomeOf(work);
  let steps = 0;
  await clock.settled();
  for (;;) {
    const due = clock.nextDue();
    const moves = due === undefined || due > clock.now();
    if (moves) {
      steps = 0;
      atRest?.();
    } else steps += 1;
    if (steps > maxStepsAtOnce) throw new Standstill('the simulation does not come to rest');
    const settled = outcome();
    if (settled?.ok === true) return { kind: 'done', value: settled.value };
    if (settled?.ok === false) throw settled.error;
    if (moves && enough?.() === true) return { kind: 'outOfTime' };
    if (due === undefined) throw new Standstill('nothing will ever happen any more in the simulation');
    if (!(await clock.step(end))) return { kind: 'outOfTime' };
  }
}

type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

function outcomeOf<T>(work: Promise<T>): () => Settled<T> | undefined {
  let settled: Settled<T> | undefined;
  work.then(
    (value) => {
      settled = { ok: true, value };
    },
    (error: unknown) => {
      settled = { ok: false, error };
    },
  );
  return () => settled;
}
