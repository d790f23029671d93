import type { FieldError } from '@holdfast/base/field-errors';
import type { KubeObject } from '../objects.ts';
import type { Clock } from '../time/clock.ts';

/** What a kind's rules may look at besides the object itself. */
export interface StrategyContext {
  readonly clock: Clock;
  /** Reads another object of the cluster, e.g. a priority class. */
  lookup(resource: string, namespace: string, name: string): KubeObject | undefined;
}

/**
 * What the API promises about one kind beyond its schema. Every function may be left out. Drafts are the request's own
 * copy and may be changed; `old` never is.
 */
export interface Strategy {
  /** Fills in what is not there. Runs on everything decoded, before admission and again after it. */
  applyDefaults?(draft: KubeObject): void;
  /** Before admission: drops what a client may not set (status), sets what the server owns. */
  prepareForCreate?(draft: KubeObject, context: StrategyContext): void;
  prepareForUpdate?(draft: KubeObject, old: KubeObject, context: StrategyContext): void;
  /** `subresource` is 'status', 'resize', ... ; what it does not own has been copied from `old` already. */
  prepareForSubresource?(subresource: string, draft: KubeObject, old: KubeObject, context: StrategyContext): void;
  validate?(object: KubeObject, context: StrategyContext): readonly FieldError[];
  /** After `validate`, unless that is left to it. */
  validateUpdate?(object: KubeObject, old: KubeObject, context: StrategyContext): readonly FieldError[];
  /** `validateUpdate` checks everything by itself: what was wrong before and did not change may stay. */
  readonly ratchets?: boolean;
  validateSubresource?(subresource: string, object: KubeObject, old: KubeObject): readonly FieldError[];
  warnings?(object: KubeObject, old: KubeObject | undefined): readonly string[];
  /** Seconds the object lives on as terminating; undefined or absent: it goes at once. */
  gracePeriodSeconds?(object: KubeObject, requested: number | undefined): number | undefined;
  /**
   * For kinds that are never gone at once: the first DELETE lets them change (a phase, a condition, a finalizer) and
   * keeps them as terminating.
   */
  beginDeletion?(draft: KubeObject, nowMs: number): void;
  /** Something besides its finalizers holds a terminating object. */
  isHeld?(object: KubeObject): boolean;
  /** Fields that a field selector may name besides metadata.name and metadata.namespace. */
  selectableFields?(object: KubeObject): Readonly<Record<string, string>>;
  /** PUT to a name that does not exist creates it (leases, events, roles). */
  readonly createOnUpdate?: boolean;
  /** PUT without a resourceVersion is refused. */
  readonly requiresResourceVersion?: boolean;
  /** How names are checked; default is a DNS subdomain. */
  nameProblem?(name: string): string | undefined;
  /** What deletion does with dependents when the client does not say; default background. */
  readonly defaultPropagation?: 'Background' | 'Orphan' | 'Foreground';
}
