import { realClock } from '@holdfast/embedded-cluster/time';

const signals = ['SIGINT', 'SIGTERM'] as const;

/** What a shell reports for a process that Ctrl-C ended. */
const interruptedCode = 130;

/** One Ctrl-C may arrive twice: from the terminal, and from a parent such as npm that hands it on. */
const sameRequestMs = 500;

/** Ctrl-C asks to stop in order; asked again, everything ends at once. */
export class StopRequest {
  readonly requested: Promise<void>;
  #requestedMs: number | undefined;
  readonly #onSignal: () => void;

  constructor() {
    let resolve: () => void = () => undefined;
    this.requested = new Promise<void>((done) => {
      resolve = done;
    });
    this.#onSignal = () => {
      const nowMs = realClock.now();
      this.#requestedMs ??= nowMs;
      if (nowMs - this.#requestedMs > sameRequestMs) process.exit(interruptedCode);
      resolve();
    };
    for (const signal of signals) process.on(signal, this.#onSignal);
  }

  get isRequested(): boolean {
    return this.#requestedMs !== undefined;
  }

  close(): void {
    for (const signal of signals) process.off(signal, this.#onSignal);
  }
}
