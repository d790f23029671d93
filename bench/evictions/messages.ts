import type { Access, Request } from '../cluster/messages.ts';

/** What the processes of this suite tell each other. */

export type ToLoad =
  /** Each connection sends the next request as soon as it was answered, until all are sent or the time is over. */
  | {
      readonly do: 'disrupt';
      readonly access: Access;
      readonly requests: readonly Request[];
      readonly connections: number;
      readonly seconds: number;
    }
  /** Every request once; each must succeed. */
  | {
      readonly do: 'send';
      readonly access: Access;
      readonly requests: readonly Request[];
      readonly connections: number;
    };

export interface Disrupted {
  /** Requests that were sent: the first so many. */
  readonly sent: number;
  /** Answers by their code. */
  readonly codes: Readonly<Record<number, number>>;
  readonly seconds: number;
  /** Milliseconds until the answer. */
  readonly p50: number;
  readonly p99: number;
}

/** Connections to `port` are spread over these. */
export type ToBalancer = { readonly do: 'spread'; readonly targets: readonly number[] };
