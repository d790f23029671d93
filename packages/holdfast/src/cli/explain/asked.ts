import { mayReach } from '../../observe/foreign-webhooks/foreign.ts';
import { guardLabel } from '../../observe/guard/guard-mode.ts';
import { guardFor } from '../../observe/guard/guard-of.ts';
import { needsGuard } from '../../observe/guard/needs-guard.ts';
import { type PodWebhooks, podWebhooksOf, type Registration } from '../../observe/guard/registration.ts';
import type { LiveWorld } from '../../observe/once/live-world.ts';
import type { Asked } from './answer.ts';

/** Whether requests about the pods of a namespace reach Holdfast, as far as the user may see it. */
export function askedIn(live: LiveWorld, namespace: string): Asked {
  const { registrations, namespaces, operatorNamespace } = live;
  if (registrations.kind === 'unknown') return { kind: 'unknown', why: 'webhook configurations cannot be read' };
  if (registrations.validating === undefined) return { kind: 'no', why: 'no operator is registered in this cluster' };
  const seen = namespaces.get(namespace);
  if (seen === undefined) return { kind: 'unknown', why: `namespace ${namespace} cannot be read` };
  const webhooks = podWebhooksOf(registrations.validating);
  const guard = guardFor(seen, operatorNamespace, present(webhooks));
  const state = live.world.namespace(namespace);
  if (guard.kind === 'off' && guardLabel(seen) === undefined && state !== undefined && !needsGuard(state)) {
    return { kind: 'no', why: 'nothing in the namespace needs it' };
  }
  if (guard.kind === 'off') return { kind: 'no', why: guard.message };
  const { [guard.kind === 'observed' ? 'observing' : 'enforcing']: registration } = webhooks;
  // Registered, but not as it should be: it may be asked all the same.
  if (registration.kind === 'missing') return { kind: 'unknown', why: registration.message };
  return guard.kind === 'observed' ? { kind: 'observed', why: guard.message } : { kind: 'yes' };
}

function present({ enforcing, observing, installation }: PodWebhooks): PodWebhooks {
  const there = (one: Registration): Registration => (one.kind === 'there' ? one : { kind: 'there', selectors: [] });
  return { enforcing: there(enforcing), observing: there(observing), installation };
}

/** Other webhooks that judge evictions there, so that Holdfast completes none. While this is unknown, there may be one. */
export function foreignIn({ registrations, namespaces }: LiveWorld, namespace: string): readonly string[] {
  if (registrations.kind === 'unknown') return ['perhaps others: webhook configurations cannot be read'];
  const seen = namespaces.get(namespace);
  const labels = seen === undefined ? undefined : (seen.metadata.labels ?? {});
  return registrations.foreign.filter((webhook) => mayReach(webhook, labels)).map(({ title }) => title);
}
