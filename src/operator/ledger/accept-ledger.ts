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
