import type { DisruptionLedger } from '../../api/ledger.ts';
import type { BudgetRef } from '../../core/verdict.ts';
import type { World } from '../../core/world/world.ts';
import type { Sink } from '../../kube/reflector/sink.ts';
import type { Touched } from './touched.ts';
import { budgetsOver } from './touched-budgets.ts';

export interface LedgerSinkParts {
  readonly world: World;
  readonly touched: Touched;
  /** The world has the ledger of this namespace that the watch showed. */
  readonly seen: (namespace: string) => void;
  /** A list has an older ledger of this namespace than the world: a consistent read tells whether etcd was restored. */
  readonly older: (namespace: string) => void;
}

/** What budgets count by, as a ledger has it. */
interface Noted {
  /** Reserved pods: uid to name. */
  readonly pods: ReadonlyMap<string, string>;
  /** The sizes of groups, as text to compare. */
  readonly sizes: string;
}

const nothing: Noted = { pods: new Map(), sizes: '[]' };

/**
 * Applies watched ledgers to the world, unless the world has a newer one from this replica's own write. The sink compares with what the watch
 * showed before, and not with the world: this replica's own writes are in the world before the watch shows them, and their changes would be missed.
 * A deleted ledger stays in the world: the next write creates it again, so that a `kubectl delete` loses no reservation.
 */
export class LedgerSink implements Sink<DisruptionLedger> {
  readonly #parts: LedgerSinkParts;
  readonly #seen = new Map<string, Noted>();

  constructor(parts: LedgerSinkParts) {
    this.#parts = parts;
  }

  replace(items: readonly DisruptionLedger[], resourceVersion: string): void {
    const there = new Set(items.map(({ metadata }) => metadata.namespace ?? ''));
    for (const namespace of this.#seen.keys()) if (!there.has(namespace)) this.#seen.delete(namespace);
    for (const item of items) {
      if (!this.#take(item)) this.#parts.older(item.metadata.namespace ?? '');
    }
    this.bookmark(resourceVersion);
  }

  upsert(item: DisruptionLedger, resourceVersion: string): void {
    this.#take(item);
    this.bookmark(resourceVersion);
  }

  remove(item: DisruptionLedger, resourceVersion: string): void {
    this.#seen.delete(item.metadata.namespace ?? '');
    this.bookmark(resourceVersion);
  }

  bookmark(resourceVersion: string): void {
    this.#parts.world.setSynced('ledgers', resourceVersion);
  }

  #take(ledger: DisruptionLedger): boolean {
    const { world, touched, seen } = this.#parts;
    const { namespace = '' } = ledger.metadata;
    const taken = world.acceptLedger(namespace, ledger);
    if (taken) seen(namespace);
    const before = this.#seen.get(namespace) ?? nothing;
    const after = notedIn(ledger);
    this.#seen.set(namespace, after);
    // A group may have become whole, or have lost a pod, without any pod changing (G5).
    if (before.sizes !== after.sizes) touched.namespace(namespace);
    const refs = new Set<BudgetRef>();
    for (const pod of difference(before, after)) budgetsOver(world.pod(namespace, pod), refs);
    if (refs.size > 0) touched.budgets(refs);
    return taken;
  }
}

function notedIn({ spec }: DisruptionLedger): Noted {
  const pods = new Map((spec?.reservations ?? []).map(({ uid, pod }) => [uid, pod]));
  return { pods, sizes: JSON.stringify((spec?.sizes ?? []).map(({ group, size }) => [group, size])) };
}

/** The pods of which one knows and the other does not. */
function* difference(before: Noted, after: Noted): Iterable<string> {
  for (const [uid, pod] of before.pods) if (!after.pods.has(uid)) yield pod;
  for (const [uid, pod] of after.pods) if (!before.pods.has(uid)) yield pod;
}
