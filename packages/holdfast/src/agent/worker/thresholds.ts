import type { ProbeResult } from '../probes/probe-result.ts';

/** What the probes of one life of a container have come to. */
export interface ProbeTally {
  /** Undefined: nothing yet, which is as good as no. */
  readonly disruptable: boolean | undefined;
  /** The last answer, and how many of the same there were in a row. */
  readonly last: boolean | undefined;
  readonly inARow: number;
  /** What the last probe put out that says something about the result: too few successes do not explain a no. */
  readonly output: string;
}

export interface Thresholds {
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

export const emptyTally: ProbeTally = { disruptable: undefined, last: undefined, inARow: 0, output: '' };

/** The kubelet forgets results that it does not know. Here they are failures: not to know is no reason to disrupt. */
export function tallyAfter(tally: ProbeTally, { result, output }: ProbeResult, thresholds: Thresholds): ProbeTally {
  const passed = result === 'success';
  const inARow = tally.last === passed ? tally.inARow + 1 : 1;
  const enough = inARow >= (passed ? thresholds.successThreshold : thresholds.failureThreshold);
  return {
    disruptable: enough ? passed : tally.disruptable,
    last: passed,
    inARow,
    output: passed && !enough ? tally.output : output,
  };
}
