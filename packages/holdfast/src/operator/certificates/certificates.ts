import type { Logger } from '../../telemetry/log.ts';
import type { KeyPair } from '../../trust/material.ts';
import type { AcceptedPaths } from './caller-paths.ts';

/** The certificate that the webhook server serves, wherever it comes from. */
export interface Certificates {
  /** Which paths prove that a caller is an API server. */
  readonly paths: AcceptedPaths;
  /** The first certificate, with which the server can start. Undefined: the operator was stopped before there was one. */
  readonly first: Promise<KeyPair | undefined>;
  current(): KeyPair | undefined;
  /** Calls back with every later certificate. Returns how to unsubscribe. */
  onChange(changed: (pair: KeyPair) => void): () => void;
  /** Whether API servers trust what is served, as far as this replica can tell. Answers from memory. */
  ready(): boolean;
  /** What only the leader does. Resolves when the signal says stop, and never rejects. */
  lead(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The certificate that is served now, and the listeners for the next one. */
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
