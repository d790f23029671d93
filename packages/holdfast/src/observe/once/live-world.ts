import type { Namespace } from '@holdfast/base/meta';
import type { World } from '../../core/world/world.ts';
import type { BuiltinStatus } from './builtin-status.ts';
import type { Gap } from './gap.ts';
import type { LeaseView } from './probe-lease-book.ts';
import type { Registrations } from './registrations.ts';
import type { Scope } from './scope.ts';

/** A cluster as it was a moment ago, as far as the user may see it. */
export interface LiveWorld {
  readonly world: World;
  readonly scope: Scope;
  /** Milliseconds, by our clock: the time to judge by. */
  readonly readAt: number;
  readonly gaps: readonly Gap[];
  readonly namespaces: ReadonlyMap<string, Namespace>;
  /** By `namespace/name` of the PodDisruptionBudget. */
  readonly builtin: ReadonlyMap<string, BuiltinStatus>;
  /** By node; only where a pod has a probe. */
  readonly leases: ReadonlyMap<string, LeaseView>;
  readonly registrations: Registrations;
  readonly operatorNamespace: string;
}

export function objectKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
