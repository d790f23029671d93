import type { Endpoint } from '../webhook/messages.ts';

/** What the processes of this suite tell each other. */

export const handlers = ['httpGet', 'httpGet with TLS', 'tcpSocket', 'grpc'] as const;
export type Handler = (typeof handlers)[number];

export type Ports = Readonly<Record<Handler, number>>;

export type ToApi =
  /** Probed pods of one node. */
  | { readonly do: 'add pods'; readonly handler: Handler; readonly port: number }
  | { readonly do: 'published' }
  /** Many nodes with probed pods, budgets over them, and the lease of each node. */
  | { readonly do: 'add fleet' }
  /** From now on; 0: not any more. */
  | { readonly do: 'renew'; readonly perSecond: number; readonly changing: number }
  | { readonly do: 'renewals' }
  /** How many budgets show that a disruption is allowed now. */
  | { readonly do: 'generous budgets' }
  /** Where the registered webhook is, as the API server knows it. */
  | { readonly do: 'webhook' };

/** What stands on the pods of the node, and in its lease. */
export interface Published {
  readonly shown: number;
  readonly listed: number;
  /** Writes of conditions and leases so far. */
  readonly conditionWrites: number;
  readonly leaseWrites: number;
}

export interface Renewals {
  readonly leases: number;
  readonly changed: number;
}

export type ToApps =
  | { readonly do: 'ports' }
  /** These say no from now on. Answered when an eviction of each was refused. */
  | { readonly do: 'refuse'; readonly pods: readonly number[]; readonly webhook: Endpoint }
  /** All say yes again. */
  | { readonly do: 'agree' };

/** For each pod: milliseconds from the answer that failed its probe until an eviction of it was refused. */
export interface Refused {
  readonly ms: readonly number[];
}

/** Answered with the CPU that it took. */
export interface ToBare {
  readonly port: number;
  readonly seconds: number;
}
