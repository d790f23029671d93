import type { Logger } from '../../telemetry/log.ts';
import type { KeyPair } from '../../trust/material.ts';
import type { AcceptedPaths } from './caller-paths.ts';

/** The certificate that the webhook server serves, wherever it comes from. */
export interface Certificates {
  /** Which paths prove that a caller is an API server. */
  readonly paths: AcceptedPaths;
  /** The server can be started when there is one. Undefined: it was closed before. */
  readonly first: Promise<KeyPair | undefined>;
  current(): KeyPair | undefined;
  /** Calls back with every later one. Returns how to stop that. */
  onChange(changed: (pair: KeyPair) => void): () => void;
  /** Whether API servers trust what is served, as far as this replica can tell. Answers from memory. */
  ready(): boolean;
  /** What only the leader does. Resolves when the signal says stop, and never rejects. */
  lead(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** What is served now, and who wants to hear of the next. */
export class ServedPair {
  readonly first: Promise<KeyPair | undefined>;
  readonly #log: Logger;
  readonly #listeners = new Set<(pair: KeyPair) => void>();
  #current: KeyPair | undefined;
  #begin: (pair: KeyPair | undefined) => void = () => undefined;

  constructor(log: Logger) {
    this.#log = log;
    this.first = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  get current(): KeyPair | undefined {
    return this.#current;
  }

  set(pair: KeyPair): void {
    this.#current = pair;
    this.#begin(pair);
    for (const listener of this.#listeners) this.#tell(listener, pair);
  }

  onChange(listener: (pair: KeyPair) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#begin(undefined);
    this.#listeners.clear();
  }

  #tell(listener: (pair: KeyPair) => void, pair: KeyPair): void {
    try {
      listener(pair);
    } catch (error) {
      this.#log.error('serving a new certificate failed', { error });
    }
  }
}
