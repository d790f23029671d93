import fc from 'fast-check';
import { describe, it } from 'vitest';
import { runs as effort } from '../../../../../test/support/effort.ts';
import { anyStory, type Story } from './arbitraries.ts';
import { differences, newWorld, tell } from './compare.ts';
import { type Event, happen, type Moment } from './events.ts';
import { emptyState } from './model.ts';
import { restarted } from './restart.ts';

const runs = Number(process.env['HOLDFAST_RUNS'] ?? effort({ short: 40, long: 1_000 }));
/** Generous: no test asserts on time, and a loaded machine is slow. */
const timeout = Math.max(300_000, runs * 2_000);
const start: Moment = { state: emptyState(), now: Date.parse('2026-01-01T00:00:00Z') };

/** The first difference in a story, with what happened until then. */
function firstDifference({ opening, events, manners }: Story): string | undefined {
  let world = newWorld();
  const past: Event[] = [];
  let moment = start;
  const live = (event: Event): void => {
    const before = moment;
    moment = happen(before, event);
    if (event.kind === 'restart') world = restarted(world, moment);
    else tell(world, event, before, moment);
    past.push(event);
  };
  opening.forEach(live);
  for (const event of [undefined, ...events]) {
    if (event !== undefined) live(event);
    for (const found of differences(world, moment, manners)) {
      return `${found}\nafter\n${past.map((one) => `  ${JSON.stringify(one)}`).join('\n')}`;
    }
  }
  return undefined;
}

describe('the engine against a naive second implementation', () => {
  it(
    `[I1] [G5] [N1] [N2] [N4] [N6] [P2] [P9] agrees on every verdict and every number after every event (${runs} stories)`,
    () => {
      fc.assert(
        fc.property(anyStory, (story) => {
          const found = firstDifference(story);
          if (found !== undefined) throw new Error(found);
        }),
        { numRuns: runs, ignoreEqualValues: true, reporter: report },
      );
    },
    timeout,
  );
});

/** The seed to run it again with, and the shrunk story as lines instead of one object. */
function report(outcome: fc.RunDetails<[Story]>): void {
  if (!outcome.failed) return;
  const error = outcome.errorInstance;
  const message = error instanceof Error ? error.message : String(error);
  const replay = `seed ${outcome.seed}, path "${outcome.counterexamplePath}", ${outcome.numShrinks} times shrunk`;
  throw new Error(`${message}\n${replay}`);
}
