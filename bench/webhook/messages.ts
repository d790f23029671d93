import type { Cpu } from '../cluster/messages.ts';

/** What the processes of this suite tell each other. */

/** A server on the loopback address, and who vouches for it. */
export interface Endpoint {
  readonly port: number;
  readonly ca: string;
  /** Of a webhook: it proves the API server. */
  readonly path?: string;
}

export type ToApi =
  /** Pods of budgets become ready or not, one pod of each budget. */
  | { readonly do: 'flip'; readonly pods: readonly number[]; readonly ready: boolean; readonly patienceMs: number }
  | { readonly do: 'statuses'; readonly patienceMs: number }
  /** Where the registered webhook is, as the API server knows it. */
  | { readonly do: 'webhook' }
  | { readonly do: 'delay ledgers'; readonly ms: number }
  | { readonly do: 'ledger figures' };

export interface Statuses {
  /** Budgets that show something wrong still. */
  readonly wrong: number;
  readonly examples: readonly unknown[];
  readonly writes: number;
  /** Since it was asked, or since the first flip. */
  readonly ms: number;
}

export interface LedgerFigures {
  readonly writes: number;
  /** Writes that reserve something; others take out what has happened. */
  readonly reserving: number;
  readonly reservations: number;
  /** The most reservations that one write made. */
  readonly largest: number;
}

export type ToOperator =
  | { readonly do: 'start'; readonly api: Endpoint }
  /** Answered when it is ready, or when the time is over. */
  | { readonly do: 'ready'; readonly patienceMs: number }
  | { readonly do: 'usage' };

/** A server that does nothing but answer the bytes it was given. */
export type ToBare = { readonly do: 'answer'; readonly bytes: string } | { readonly do: 'usage' };

export interface Usage extends Cpu {
  readonly rss: number;
  readonly peakRss: number;
  readonly heapUsed: number;
}

export interface Ready extends Usage {
  readonly missing: readonly string[];
}

/** One request to the webhook, as base64. */
export interface Review {
  readonly bytes: string;
  /** Where the API server would delete the pod after an allowed answer. */
  readonly pod: string;
}

interface Load {
  readonly webhook: Endpoint;
  readonly reviews: readonly Review[];
  readonly connections: number;
  readonly seconds: number;
}

export type ToLoad =
  /** Each connection asks again as soon as it is answered. */
  | (Load & { readonly do: 'hammer' })
  /** So many a second, whether the answers come or not. */
  | (Load & { readonly do: 'pace'; readonly perSecond: number })
  /** Each connection asks, and deletes the pod after an allowed answer unless the operator does. */
  | (Load & { readonly do: 'disrupt'; readonly api: Endpoint | undefined });

export interface Loaded {
  readonly allowed: number;
  readonly refused: number;
  readonly broken: number;
  readonly seconds: number;
  /** Milliseconds until the answer. */
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  /** The body of one answer, as base64. */
  readonly example: string;
}
