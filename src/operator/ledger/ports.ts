import type { DisruptionLedger, Reservation } from '../../api/ledger.ts';
import type { ReleaseReason } from '../../core/ledger/prune.ts';

/** What the ledger service needs of the world outside. Everything that waits or may fail comes in through here. */

/** In [0, 1). */
export type Random = () => number;

export type LedgerRead =
  | { readonly kind: 'found'; readonly ledger: DisruptionLedger }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly message: string };

export type LedgerWrite =
  | { readonly kind: 'stored'; readonly ledger: DisruptionLedger }
  /** Somebody else wrote, or created it, first. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'missing' }
  /** Whether it was written all the same is not known, and need not be: the next compare-and-swap finds out. */
  | { readonly kind: 'failed'; readonly message: string };

export interface LedgerStore {
  /** A consistent read, never one from a cache: what it shows was so after the call began (L6). */
  read(namespace: string, signal: AbortSignal): Promise<LedgerRead>;
  create(ledger: DisruptionLedger, signal: AbortSignal): Promise<LedgerWrite>;
  /** Compare and swap by `metadata.resourceVersion`. */
  replace(ledger: DisruptionLedger, signal: AbortSignal): Promise<LedgerWrite>;
}

export type PodReading =
  | { readonly kind: 'found'; readonly uid: string; readonly resourceVersion: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly message: string };

export interface PodReader {
  /** A consistent read of one pod by its name. */
  read(namespace: string, pod: string, signal: AbortSignal): Promise<PodReading>;
}

export type Writer = 'batch' | 'prune' | 'withdraw' | 'sizes' | 'create';

/** For metrics and logs. None of them may throw. */
export interface LedgerEvents {
  /** A batch was answered: how many requests shared it, how many it reserved, and after how many attempts. */
  readonly batch?: (namespace: string, requests: number, reserved: number, attempts: number) => void;
  readonly wrote?: (namespace: string, writer: Writer, outcome: LedgerWrite['kind'], milliseconds: number) => void;
  /** A reservation was written, and whoever asked for it was told "not now". It counts until the pruner lets it go. */
  readonly abandoned?: (namespace: string, pod: string) => void;
  readonly released?: (namespace: string, reservation: Reservation, why: ReleaseReason) => void;
}
