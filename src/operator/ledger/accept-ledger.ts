import type { DisruptionLedger } from '../../api/ledger.ts';
import { isAtLeast } from '../../core/resource-version.ts';
import type { World } from '../../core/world/world.ts';

/**
 * Takes a ledger into the world unless the world has a newer one. Ledgers come from three sides (our writes, our reads, the
 * watch), in no order: the watch may bring a version that our own write has replaced since, and judging by that would forget
 * what was just reserved.
 */
export function acceptLedger(world: World, namespace: string, ledger: DisruptionLedger): boolean {
  const known = world.namespace(namespace)?.ledger?.metadata.resourceVersion;
  const offered = ledger.metadata.resourceVersion;
  if (known !== undefined && (offered === undefined || !isAtLeast(offered, known))) return false;
  if (known === undefined || known !== offered) world.setLedger(namespace, ledger);
  return true;
}

/**
 * Takes in what a consistent read found; `before` is the version that the world had when the read began. Such a read shows every write
 * that was done before it began. So a version older than `before` means that etcd was restored from a backup: what was known is no
 * longer in the store, and every write upon it would be refused. API servers are stopped for a restore, so no request that was admitted
 * before it is still under way.
 */
export function acceptRead(
  world: World,
  namespace: string,
  ledger: DisruptionLedger,
  before: string | undefined,
): boolean {
  const known = world.namespace(namespace)?.ledger?.metadata.resourceVersion;
  const found = ledger.metadata.resourceVersion ?? '';
  const wasRestored = before !== undefined && known === before && isAtLeast(before, found) && found !== before;
  if (!wasRestored) return acceptLedger(world, namespace, ledger);
  world.setLedger(namespace, ledger);
  return true;
}
