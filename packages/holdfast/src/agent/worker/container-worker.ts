import type { Probe } from '@holdfast/base/probes/probe-fields';
import { type Clock, sleep } from '../../kube/time/clock.ts';
import { errorText, type ProbeResult, unknown } from '../probes/probe-result.ts';
import { nextBeat, onBeat, staleAfterMs } from './rhythm.ts';
import { emptyTally, type ProbeTally, tallyAfter } from './thresholds.ts';

export interface WorkerOptions {
  readonly probe: Probe;
  readonly clock: Clock;
  readonly firstDelayMs: number;
  /** Waits for its turn, and asks. Undefined: it was given up. */
  readonly ask: (signal: AbortSignal) => Promise<ProbeResult | undefined>;
  /** After every probe. */
  readonly onResult: (result: ProbeResult) => void;
}

/** Probes one life of one container, one probe after the other. */
export class ContainerWorker {
  readonly #options: WorkerOptions;
  readonly #stopping = new AbortController();
  #tally = emptyTally;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(options: WorkerOptions) {
    this.#options = options;
    void this.#run();
  }

  get tally(): ProbeTally {
    return this.#tally;
  }

  /** No probe has ended for so long that the last answer is worthless: also after a pause of the whole process. */
  get overdue(): boolean {
    const { clock, probe } = this.#options;
    return this.#tally.last !== undefined && clock.monotonic() - this.#askedAt > staleAfterMs(probe);
  }

  /** Whatever is under way ends at once, and is not counted. */
  close(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    const { clock, probe, firstDelayMs } = this.#options;
    const { signal } = this.#stopping;
    const periodMs = probe.periodSeconds * 1000;
    for (let beat = onBeat(clock.monotonic() + firstDelayMs); ; beat = nextBeat(beat, periodMs, clock.monotonic())) {
      await sleep(clock, beat - clock.monotonic(), signal);
      if (signal.aborted) return;
      // What is asked counts from when it was asked: the answer may have been long on its way.
      const askedAt = clock.monotonic();
      const result = await this.#ask();
      // Closed meanwhile: the answer is about a container that is gone, or to a probe that was replaced.
      if (signal.aborted || result === undefined) return;
      this.#askedAt = askedAt;
      this.#tally = tallyAfter(this.#tally, result, probe);
      this.#options.onResult(result);
    }
  }

  async #ask(): Promise<ProbeResult | undefined> {
    try {
      return await this.#options.ask(this.#stopping.signal);
    } catch (error) {
      return unknown(errorText(error));
    }
  }
}
