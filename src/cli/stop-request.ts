const signals = ['SIGINT', 'SIGTERM'] as const;

/** What a shell reports for a process that Ctrl-C ended. */
const interruptedCode = 130;

/** Ctrl-C asks to stop in order; asked again, everything ends at once. */
export class StopRequest {
  readonly requested: Promise<void>;
  #isRequested = false;
  readonly #onSignal: () => void;

  constructor() {
    let resolve: () => void = () => undefined;
    this.requested = new Promise<void>((done) => {
      resolve = done;
    });
    this.#onSignal = () => {
      if (this.#isRequested) process.exit(interruptedCode);
      this.#isRequested = true;
      resolve();
    };
    for (const signal of signals) process.on(signal, this.#onSignal);
  }

  get isRequested(): boolean {
    return this.#isRequested;
  }

  close(): void {
    for (const signal of signals) process.off(signal, this.#onSignal);
  }
}
