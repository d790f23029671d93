import type { Tracked } from '../../core/drain/census.ts';
import type { CoursePod, Waiting } from '../../core/drain/course-pod.ts';
import type { DrainUnit } from '../../core/drain/units.ts';

/** What there is to say about a pod now. */
export interface Description {
  readonly state:
    | 'next'
    | 'held'
    | 'refused'
    | 'failed'
    | 'asked'
    | 'terminating'
    | 'deleted'
    | 'left behind'
    | 'stuck';
  readonly since: number;
  /** What it waits for, or why it is stuck. */
  readonly detail: string;
  /** When its eviction is requested again. */
  readonly retryAt?: number;
}

/** @param holds the groups that have to be finished before the pod may go */
export function describePod({ pod, state }: Tracked, holds: (pod: CoursePod) => readonly DrainUnit[]): Description {
  const { since } = state;
  switch (state.kind) {
    case 'asking':
      // While it is requested again, the last answer is still what the pod waits for.
      return said(state.before, since) ?? { state: 'asked', since, detail: 'the answer of the API server' };
    case 'going':
      return {
        state: 'terminating',
        since,
        detail: state.evicted ? '' : 'deleted by another client',
      };
    case 'gone':
      return { state: 'deleted', since, detail: '' };
    case 'leftBehind':
      return { state: 'left behind', since, detail: 'terminating for longer than --skip-wait-for-delete-timeout' };
    case 'impossible':
      return { state: 'stuck', since, detail: state.message };
    case 'waiting': {
      const [holder, ...others] = holds(pod);
      if (holder !== undefined) return { state: 'held', since, detail: holdText(holder, others.length) };
      return said(state, state.due) ?? { state: 'next', since, detail: 'its turn' };
    }
  }
}

function said({ answer, since }: Waiting, retryAt?: number): Description | undefined {
  if (answer === undefined) return undefined;
  return { state: answer.kind, since, detail: answer.message, ...(retryAt === undefined ? {} : { retryAt }) };
}

function holdText({ name, budgetName }: DrainUnit, others: number): string {
  const more = others === 0 ? '' : ` and ${others} more`;
  return `${name}${more} to finish (one group of ${budgetName} at a time)`;
}

/** A description in one phrase. */
export function inWords({ state, detail }: Description): string {
  switch (state) {
    case 'next':
    case 'held':
    case 'asked':
      return `waiting for ${detail}`;
    default:
      return detail === '' ? state : `${state}: ${detail}`;
  }
}
