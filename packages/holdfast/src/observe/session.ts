import type { CallOptions, KubeClient } from '../kube/client/client.ts';
import type { KubeReader } from '../kube/client/reader.ts';
import type { Clock } from '../kube/time/clock.ts';

/** A cluster that is only read, with the rights of the user. */
export interface ReadSession {
  readonly client: KubeReader;
  readonly clock: Clock;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
  /** The namespace of objects when the command line does not name one. */
  readonly namespace: string;
  /** For each request. */
  readonly call: CallOptions;
}

/** A cluster, with the rights of the user. */
export interface Session extends ReadSession {
  readonly client: KubeClient;
}
