import { mayReach } from '../../operator/foreign-webhooks/foreign.ts';
import { guardProblem } from '../../operator/guard/guard-problem.ts';
import { needsGuard } from '../../operator/guard/needs-guard.ts';
import { guardLabel } from '../../operator/guard/plan.ts';
import { registrationOf } from '../../operator/guard/registration.ts';
import type { LiveWorld } from '../live/live-world.ts';
import type { Asked } from './answer.ts';

/** Whether requests about the pods of a namespace reach Holdfast, as far as the user may see it. */
export function askedIn(live: LiveWorld, namespace: string): Asked {
  const { registrations, namespaces, operatorNamespace } = live;
  if (registrations.kind === 'unknown') return { kind: 'unknown', why: 'webhook configurations cannot be read' };
  if (registrations.validating === undefined) return { kind: 'no', why: 'no operator is registered in this cluster' };
  const seen = namespaces.get(namespace);
  if (seen === undefined) return { kind: 'unknown', why: `namespace ${namespace} cannot be read` };
  const registration = registrationOf(registrations.validating);
  const there = registration.kind === 'there' ? registration : ({ kind: 'there', selectors: [] } as const);
  const problem = guardProblem(seen, operatorNamespace, there);
  const state = live.world.namespace(namespace);
  if (problem !== undefined && guardLabel(seen) === undefined && state !== undefined && !needsGuard(state)) {
    return { kind: 'no', why: 'nothing in the namespace needs it' };
  }
  if (problem !== undefined) return { kind: 'no', why: problem };
  // Registered, but not as it should be: it may be asked all the same.
  return registration.kind === 'missing' ? { kind: 'unknown', why: registration.message } : { kind: 'yes' };
}

/** Other webhooks that judge evictions there, so that Holdfast completes none. While this is unknown, there may be one. */
export function foreignIn({ registrations, namespaces }: LiveWorld, namespace: string): readonly string[] {
  if (registrations.kind === 'unknown') return ['perhaps others: webhook configurations cannot be read'];
  const seen = namespaces.get(namespace);
  const labels = seen === undefined ? undefined : (seen.metadata.labels ?? {});
  return registrations.foreign.filter((webhook) => mayReach(webhook, labels)).map(({ title }) => title);
}
