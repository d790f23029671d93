import type { Namespace } from '@holdfast/base/meta';
import { counted } from '../../api/wording.ts';
import type { World } from '../../core/world/world.ts';
import { guardFor } from '../../observe/guard/guard-of.ts';
import { needsGuard } from '../../observe/guard/needs-guard.ts';
import type { PodWebhooks } from '../../observe/guard/registration.ts';
import type { Read } from '../../observe/once/kind-reader.ts';
import type { OperatorCheck } from './health.ts';
import { someOf } from './some-of.ts';

/** A disruption that passed, and would have been refused, as an event tells it. */
export interface ObservedSighting {
  readonly lastMs: number;
  readonly namespace: string;
  readonly message: string;
}

export interface ObservingFacts {
  readonly world: World;
  readonly namespaces: ReadonlyMap<string, Namespace>;
  readonly operatorNamespace: string;
  readonly observed: Read<ObservedSighting>;
}

/** Where Holdfast only observes, and what it let pass there that it would have refused. Undefined: nowhere. */
export function observing(facts: ObservingFacts, webhooks: PodWebhooks): OperatorCheck | undefined {
  const { world, namespaces, operatorNamespace } = facts;
  const names = [...world.namespaces()]
    .filter((state) => {
      const namespace = namespaces.get(state.name);
      if (state.terminating || namespace === undefined || !needsGuard(state)) return false;
      return guardFor(namespace, operatorNamespace, webhooks).kind === 'observed';
    })
    .map(({ name }) => name);
  if (names.length === 0 && webhooks.installation === 'enforce') return undefined;
  const where = webhooks.installation === 'observe' ? 'any namespace (mode: observe)' : someOf(names);
  return { check: 'observe', state: 'warning', detail: `nothing is refused in ${where}${passed(facts.observed)}` };
}

function passed(observed: Read<ObservedSighting>): string {
  if (observed.kind !== 'read') return '; what would have been refused is in events, which cannot be read';
  const sightings = [...observed.items].sort((a, b) => b.lastMs - a.lastMs);
  const [last] = sightings;
  if (last === undefined) return '; no event tells of a disruption that would have been refused';
  const many = `${counted(sightings.length, 'event')} of disruptions that would have been refused`;
  return `; ${many}, the last in ${last.namespace}: ${last.message}`;
}
