import { isAtLeast } from '../resource-version.ts';
import { type Collection, collections } from '../sync.ts';
import type { Blocker } from '../verdict.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { World } from '../world/world.ts';
import { blocker } from './refusal.ts';

interface PodName {
  readonly name: string;
}

/** Collections without which nothing can be said about a pod. The ledger's absence is told apart: it has its own reason. */
const needed: readonly Collection[] = collections.filter((one) => one !== 'ledgers');

export function notSynced(world: World, pod: PodName): Blocker | undefined {
  const missing = needed.filter((one) => world.syncedVersion(one) === undefined);
  if (missing.length === 0) return undefined;
  return blocker('NotSynced', { pod, detail: `still waiting for ${missing.join(', ')}` });
}

/** Whether the ledger of the namespace is known. */
export function ledgerUnknown(world: World, state: NamespaceState, pod: PodName): Blocker | undefined {
  if (world.syncedVersion('ledgers') !== undefined && state.ledger !== undefined) return undefined;
  return blocker('LedgerUnknown', { pod });
}

/** A reservation may have been pruned because somebody saw the pod go, in a view that is newer than ours (L2). */
export function cacheStale(world: World, state: NamespaceState, pod: PodName): Blocker | undefined {
  const watermark = state.ledger?.spec?.watermark;
  if (watermark === undefined) return undefined;
  const seen = world.syncedVersion('pods') ?? '';
  if (isAtLeast(seen, watermark)) return undefined;
  return blocker('CacheStale', { pod, detail: `it has seen ${seen}, the ledger ${watermark}` });
}
