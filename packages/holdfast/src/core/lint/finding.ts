import type { ObjectMeta } from '@holdfast/base/meta';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { PodUnavailableBudget } from '../../api/pub/pub.ts';
import type { PdbState } from '../world/pdb-state.ts';
import type { PubState } from '../world/pub/pub-state.ts';
import type { World } from '../world/world.ts';

/** An object as it was written, or as a cluster has it. Nothing but its kind and name is sure. */
export interface LintObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace'>;
  readonly [field: string]: unknown;
}

export interface LintInput {
  /** Budgets and pods, or what stands for them. */
  readonly world: World;
  readonly objects: readonly LintObject[];
}

/** A budget with what the engine makes of it. */
export interface LintedPdb {
  readonly object: LintObject & PodDisruptionBudget;
  readonly state: PdbState;
}

export interface LintedPub {
  readonly object: LintObject & PodUnavailableBudget;
  readonly state: PubState;
}

/** What the rules look at. */
export interface LintView {
  readonly objects: readonly LintObject[];
  readonly pdbs: readonly LintedPdb[];
  readonly pubs: readonly LintedPub[];
}

/** `error`: it does not do what it says; `warning`: it probably does not do what is meant. */
export type Severity = 'error' | 'warning';

/** One place where a rule does not hold. */
export interface Hit {
  readonly object: LintObject;
  /** The field that is meant, as far as there is one: `spec.minAvailable`. Its line is shown. */
  readonly field?: string;
  /** What is wrong here, with names and numbers. */
  readonly message: string;
}

export interface Rule {
  /** Never given to another rule, and never changed: people write it into their settings. */
  readonly code: `HF${number}`;
  readonly name: string;
  readonly severity: Severity;
  /** Why it matters, in one or two sentences. */
  readonly why: string;
  readonly fix: string;
  readonly check: (view: LintView) => readonly Hit[];
}

export interface Finding extends Hit {
  readonly rule: Rule;
}
