import type { Outcome } from './spread.ts';

export interface RunRecordTerms {
  readonly first: number;
  readonly count: number;
  /** True: a schedule that fails does not end the run. */
  readonly keepGoing: boolean;
  /** Milliseconds since the run began. */
  readonly elapsed: () => number;
}

export interface Note {
  readonly lines: readonly string[];
  readonly isOver: boolean;
}

/** So many schedules are told of in one line. */
const every = 100;

/** What is printed of a run of schedules: a run that was stopped can be gone on with from the last line. */
export class RunRecord {
  readonly #terms: RunRecordTerms;
  readonly #failed: number[] = [];
  #done = 0;
  #disruptions = 0;

  constructor(terms: RunRecordTerms) {
    this.#terms = terms;
  }

  /** In the order of the seeds. */
  note({ seed, violation, transcript, disruptions }: Outcome): Note {
    this.#done += 1;
    this.#disruptions += disruptions;
    const lines: string[] = [];
    if (violation !== undefined) {
      this.#failed.push(seed);
      lines.push(...transcript, `seed ${seed} breaks ${violation.clause}: ${violation.message}`);
      lines.push(`again: npm run test:simulation -- 1 ${seed}`);
    }
    const isOver = violation !== undefined && !this.#terms.keepGoing;
    if (!isOver && this.#done % every === 0 && this.#done < this.#terms.count) lines.push(this.#soFar());
    return { lines, isOver };
  }

  get exitCode(): 0 | 1 {
    return this.#failed.length === 0 ? 0 : 1;
  }

  /** How the run ended, or how far it got. */
  summary(): readonly string[] {
    const { first, count } = this.#terms;
    const left = count - this.#done;
    const next = first + this.#done;
    return [this.#soFar(), ...(left > 0 ? [`go on: npm run test:simulation -- ${left} ${next}`] : [])];
  }

  #soFar(): string {
    const { first, elapsed } = this.#terms;
    if (this.#done === 0) return 'no schedule ran';
    const seconds = (elapsed() / 1000).toFixed(0);
    const failed = this.#failed.length === 0 ? 'none failed' : `failed: ${this.#failed.join(', ')}`;
    const seeds = `seeds ${first} to ${first + this.#done - 1}`;
    return `${seeds}: ${this.#done} schedules, ${this.#disruptions} disruptions, ${seconds} s, ${failed}`;
  }
}
