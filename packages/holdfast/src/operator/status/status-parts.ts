import type { Guard } from '../../core/status/condition.ts';
import type { EventRecorder } from '../../kube/events/recorder.ts';
import type { OperatorContext } from '../../observe/context.ts';
import type { Views } from '../../observe/view/views.ts';
import type { BudgetMetrics } from './budget-metrics.ts';
import type { StatusClient } from './status-writer.ts';

export interface StatusLimits {
  /** Budgets that are written at the same time. */
  readonly workers: number;
  /** Everything is looked at again so often, give or take a tenth. */
  readonly resyncMs: number;
  /**
   * A new leader may not have looked up all owners yet: for so long it leaves a status alone that it could only replace by
   * "not known".
   */
  readonly settleMs: number;
}

export const defaultStatusLimits: StatusLimits = { workers: 32, resyncMs: 180_000, settleMs: 10_000 };

export interface StatusParts {
  readonly context: Pick<OperatorContext, 'world' | 'clock' | 'random' | 'log' | 'metrics'> & {
    readonly clients: { readonly status: StatusClient };
  };
  readonly views: Pick<Views, 'pdbs' | 'pubs'>;
  /** When it changes its mind, the namespace is to be touched. */
  readonly guardOf: (namespace: string) => Guard;
  readonly recorder: Pick<EventRecorder, 'record'>;
  /** Kruise owns the PodUnavailableBudgets of this cluster: we write nothing on them. */
  readonly pubsPaused: () => boolean;
  readonly budgetMetrics: BudgetMetrics;
  /** Whether PodDisruptionBudgets show units in `disruptionsAllowed` (S3). */
  readonly projects: boolean;
  readonly limits?: Partial<StatusLimits>;
}
