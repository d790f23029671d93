import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProbeResult } from '../../src/agent/probes/probe-result.ts';
import { firstDelay, nextBeat, onBeat, staleAfterMs } from '../../src/agent/worker/rhythm.ts';
import { emptyTally, tallyAfter } from '../../src/agent/worker/thresholds.ts';

const results: Readonly<Record<string, ProbeResult['result']>> = { S: 'success', F: 'failure', U: 'unknown' };

function outcomeOf(story: string, successThreshold: number, failureThreshold: number): boolean | undefined {
  let tally = emptyTally;
  for (const letter of story) {
    const result = results[letter] ?? 'unknown';
    tally = tallyAfter(tally, { result, output: letter }, { successThreshold, failureThreshold });
  }
  return tally.disruptable;
}

describe('[I4] what a row of probes comes to', () => {
  const table: readonly (readonly [string, string, number, number, boolean | undefined])[] = [
    ['nothing at first', '', 1, 1, undefined],
    ['yes with the first success', 'S', 1, 3, true],
    ['yes only after enough successes', 'SS', 3, 3, undefined],
    ['yes after just enough of them', 'SSS', 3, 3, true],
    ['nothing when a failure breaks the row', 'SSFSS', 3, 3, undefined],
    ['nothing while there are too few failures', 'FF', 1, 3, undefined],
    ['no after enough failures', 'FFF', 1, 3, false],
    ['still yes after too few failures', 'SFF', 1, 3, true],
    ['no after enough failures in a row', 'SFFF', 1, 3, false],
    ['still yes when a success comes in between', 'SFFSFF', 1, 3, true],
    ['still no after too few successes', 'FSS', 3, 1, false],
    ['yes again after enough of them', 'FSSS', 3, 1, true],
    ['no after enough answers that did not come', 'SUUU', 1, 3, false],
    ['no after failures and missing answers together', 'SFUF', 1, 3, false],
    ['no with the first failure, when one is enough', 'SF', 1, 1, false],
  ];
  it.each(table)('is %s: %s', (_name, story, successes, failures, expected) => {
    expect(outcomeOf(story, successes, failures)).toBe(expected);
  });

  it('is explained by the last failure, until there are enough successes', () => {
    const thresholds = { successThreshold: 2, failureThreshold: 1 };
    const no = tallyAfter(emptyTally, { result: 'failure', output: 'HTTP status 503' }, thresholds);
    const better = tallyAfter(no, { result: 'success', output: 'HTTP status 200' }, thresholds);
    expect(better).toMatchObject({ disruptable: false, output: 'HTTP status 503' });
    expect(tallyAfter(better, { result: 'success', output: 'HTTP status 200' }, thresholds)).toMatchObject({
      disruptable: true,
      output: 'HTTP status 200',
    });
  });

  it('is what a look at the whole story says', () => {
    const letter = fc.constantFrom('S', 'F', 'U');
    const story = fc.array(letter, { maxLength: 40 }).map((letters) => letters.join(''));
    const threshold = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(story, threshold, threshold, (told, successes, failures) => {
        expect(outcomeOf(told, successes, failures)).toBe(fromTheEnd(told, successes, failures));
      }),
    );
  });
});

/** The last row that was long enough decides; a search from the end finds it first. */
function fromTheEnd(story: string, successes: number, failures: number): boolean | undefined {
  const rows = story.replaceAll('U', 'F').match(/S+|F+/g) ?? [];
  const decisive = rows.findLast((row) => row.length >= (row.startsWith('S') ? successes : failures));
  return decisive?.startsWith('S');
}

describe('the rhythm of probes', () => {
  const probe = { initialDelaySeconds: 30, periodSeconds: 10 };
  const table = [
    { name: 'waits for what is left of the delay', runningForMs: 10_000, agentForMs: 60_000, want: 20_000 },
    { name: 'does not wait when the delay is over', runningForMs: 60_000, agentForMs: 60_000, want: 0 },
    { name: 'spreads what a new agent finds over a period', runningForMs: 60_000, agentForMs: 1_000, want: 5_000 },
    { name: 'waits for the longer of the two', runningForMs: 28_000, agentForMs: 1_000, want: 5_000 },
    { name: 'waits no longer than the delay', runningForMs: -1_000_000, agentForMs: 60_000, want: 30_000 },
  ];
  it.each(table)('$name', ({ runningForMs, agentForMs, want }) => {
    expect(firstDelay({ probe, runningForMs, agentForMs, chance: 0.5 })).toBe(want);
  });

  it('goes from beat to beat, and makes up for none', () => {
    expect(nextBeat(1_000, 10_000, 1_000)).toBe(11_000);
    expect(nextBeat(1_000, 10_000, 10_999)).toBe(11_000);
    expect(nextBeat(1_000, 10_000, 11_000)).toBe(11_000);
    expect(nextBeat(1_000, 10_000, 35_000)).toBe(41_000);
  });

  it('begins on a beat that it shares with others, and stays on it', () => {
    for (const moment of [0.1, 3, 249.9, 250]) expect(onBeat(moment)).toBe(250);
    expect(onBeat(250.1)).toBe(500);
    expect(nextBeat(onBeat(1_003), 7_000, 1_300) % 250).toBe(0);
  });

  it('forgives one late beat, not two', () => {
    expect(staleAfterMs({ periodSeconds: 10, timeoutSeconds: 1 })).toBe(22_000);
  });
});
