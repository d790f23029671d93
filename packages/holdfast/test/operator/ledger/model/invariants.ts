import type { DisruptionLedger } from '../../../../src/api/ledger.ts';
import type { ApiServer } from '../../../core/ledger-model/api-server.ts';
import type { Budgets } from '../../../core/ledger-model/setup.ts';

/** A pod that was admitted and may still go. */
export interface Going {
  readonly pod: string;
  readonly uid: string;
}

/** I1 and I3 on the truth, with everything that is admitted taken for done. No pod fails by itself, so what was met stays met. */
export function checkAvailability(server: ApiServer, budgets: Budgets, going: readonly Going[]): void {
  const gone = new Set(going.map((one) => one.uid));
  const serving = new Map<number, number>();
  for (const pod of server.pods.values()) {
    if (pod.ready && !pod.terminating && !gone.has(pod.uid)) serving.set(pod.group, (serving.get(pod.group) ?? 0) + 1);
  }
  const available = [...serving].filter(([, count]) => count >= budgets.minimum).map(([group]) => group);
  const even = available.filter((group) => group % 2 === 0).length;
  const needed = Math.min(budgets.desired, budgets.groups);
  const neededEven = Math.min(budgets.desiredEven, Math.ceil(budgets.groups / 2));
  if (available.length < needed) throw new Error(`overspent: ${available.length} groups serve, ${needed} must`);
  if (even < neededEven) throw new Error(`overspent: ${even} even groups serve, ${neededEven} must`);
}

/** I5: one reservation for a pod, however often it was asked for. */
export function checkReservedOnce(ledger: DisruptionLedger): void {
  const uids = uidsOf(ledger);
  if (new Set(uids).size !== uids.length) throw new Error(`reserved twice: ${uids.join(', ')}`);
}

/** I9: what leaves the ledger has happened, or can no longer happen. Returns how many came to nothing. */
export function checkReleases(
  before: DisruptionLedger | undefined,
  after: DisruptionLedger,
  server: ApiServer,
  going: readonly Going[],
): number {
  const kept = new Set(uidsOf(after));
  const alive = new Set([...server.pods.values()].filter((pod) => !pod.terminating).map((pod) => pod.uid));
  const returned = uidsOf(before).filter((uid) => !kept.has(uid) && alive.has(uid));
  for (const uid of returned) {
    if (going.some((one) => one.uid === uid)) throw new Error(`${uid} was released and may still go`);
  }
  return returned.length;
}

function uidsOf(ledger: DisruptionLedger | undefined): readonly string[] {
  return (ledger?.spec?.reservations ?? []).map((one) => one.uid);
}
