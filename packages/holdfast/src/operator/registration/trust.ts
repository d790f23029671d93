import { operatorName } from '../../api/installation-names.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { type Clock, sleep } from '../../kube/time/clock.ts';
import { resources } from '../../observe/resources.ts';
import { bundlesOf, type TrustingConfiguration } from '../../trust/webhook-trust.ts';

const lookEveryMs = 25;

/**
 * Resolves when every registered webhook says whom to trust, which the leader writes after they are registered. Until then API
 * servers cannot call them, and refuse what they should ask about. Resolves to false when the signal comes first.
 */
export async function untilTrusted(
  client: Pick<KubeClient, 'get'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  while (!(await isTrusted(client))) if (!(await sleep(clock, lookEveryMs, signal))) return false;
  return true;
}

async function isTrusted(client: Pick<KubeClient, 'get'>): Promise<boolean> {
  for (const resource of [resources.validating, resources.mutating]) {
    const found = await client.get<TrustingConfiguration>(resource, { name: operatorName });
    if (!found.ok && found.failure.kind !== 'notFound') return false;
    if (found.ok && bundlesOf(found.value).some((bundle) => bundle.length === 0)) return false;
  }
  return true;
}
