import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import type { Disruption } from './history.ts';
import type { Violation } from './judge.ts';

interface Reservation {
  readonly pod: string;
  readonly uid: string;
}

/** What every version of a ledger must hold: one reservation for a pod (I5), none for a pod that only dry runs asked for (I6). */
export function checkLedger(
  ledger: KubeObject | undefined,
  asked: ReadonlySet<string>,
  at: number,
): Violation | undefined {
  const seen = new Set<string>();
  for (const { pod, uid } of reservationsIn(ledger)) {
    if (seen.has(uid)) return { clause: 'I5', at, message: `${pod} is reserved twice` };
    seen.add(uid);
    if (!asked.has(pod))
      return { clause: 'I6', at, message: `${pod} is reserved, and nobody asked for it but in a dry run` };
  }
  return undefined;
}

/** Reservations that left a ledger: the request that one was made for must not act after that (I9). */
export class LedgerRecord {
  readonly #releasedAt = new Map<string, number>();

  wrote(before: KubeObject | undefined, after: KubeObject | undefined, at: number): void {
    // A ledger that a person deleted says nothing about what it held.
    if (after === undefined) return;
    const present = new Set(reservationsIn(after).map(({ uid }) => uid));
    for (const { uid } of reservationsIn(before)) if (!present.has(uid)) this.#releasedAt.set(uid, at);
    for (const uid of present) this.#releasedAt.delete(uid);
  }

  tookAway({ pod, cause, askedAt }: Disruption, at: number): Violation | undefined {
    const released = this.#releasedAt.get(pod.metadata.uid ?? '');
    if (cause !== 'EVICT' || released === undefined || askedAt === undefined || askedAt >= released) return undefined;
    return {
      clause: 'I9',
      at,
      message: `${pod.metadata.name} went by a request from before its reservation was released`,
    };
  }
}

function reservationsIn(ledger: KubeObject | undefined): readonly Reservation[] {
  return (ledger?.['spec'] as { readonly reservations?: readonly Reservation[] } | undefined)?.reservations ?? [];
}
