import type { Failure, Outcome } from '../../kube/outcome/failure.ts';
import { resources } from '../../observe/resources.ts';
import type { Session } from '../../observe/session.ts';

/** What the API server said when it was asked to evict a pod without doing it. */
export type DryRun =
  | { readonly kind: 'allowed' }
  /** `webhook`: one that was asked; `builtin`: Kubernetes' own check, or what comes after it. */
  | { readonly kind: 'refused'; readonly by: 'webhook' | 'builtin'; readonly code?: number; readonly message: string }
  /** The user may not evict. */
  | { readonly kind: 'denied'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'skipped' };

/** Asks the real API. The server takes back nothing, because it does nothing: that is what `dryRun=All` is for. */
export async function dryRunEviction(
  { client, call }: Session,
  pod: { readonly namespace: string; readonly name: string; readonly uid: string },
): Promise<DryRun> {
  const { namespace, name, uid } = pod;
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    // In the query and here: a proxy that drops one of them does not turn this into a real eviction.
    deleteOptions: { preconditions: { uid }, dryRun: ['All'] },
  };
  const place = { namespace, name, subresource: 'eviction' };
  return evictionDryRunOf(await client.create(resources.pods, place, body, { ...call, dryRun: true }));
}

export function evictionDryRunOf(outcome: Outcome<unknown>): DryRun {
  if (outcome.ok) return { kind: 'allowed' };
  const { failure } = outcome;
  const byWebhook = /^(Internal error occurred: failed calling|admission) webhook /.test(failure.message);
  if (failure.kind === 'denied' && !byWebhook) return { kind: 'denied', why: failure.message };
  if (failure.code === undefined) return { kind: 'failed', why: failure.message };
  return isAnswer(failure, byWebhook)
    ? { kind: 'refused', by: byWebhook ? 'webhook' : 'builtin', code: failure.code, message: failure.message }
    : { kind: 'failed', why: failure.message };
}

/** 429 is "not now"; 500 is what several PodDisruptionBudgets on one pod are answered with. */
function isAnswer({ code, message }: Failure, byWebhook: boolean): boolean {
  return byWebhook || code === 429 || (code === 500 && message.includes('more than one PodDisruptionBudget'));
}
