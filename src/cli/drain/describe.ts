import type { Tracked } from '../../core/drain/census.ts';
import type { CoursePod, Waiting } from '../../core/drain/course-pod.ts';

/** What there is to say about a pod now. */
export interface Description {
  readonly state: 'next' | 'held' | 'refused' | 'failed' | 'asked' | 'ending' | 'gone' | 'left behind' | 'stuck';
  readonly since: number;
  /** What it waits for, or why it is stuck. */
  readonly detail: string;
}

/** @param holds the groups that have to be finished before the pod may go */
export function describePod({ pod, state }: Tracked, holds: (pod: CoursePod) => readonly string[]): Description {
  const { since } = state;
  switch (state.kind) {
    case 'asking':
      // Asked again, what was said last is still what it waits for.
      return said(state.before) ?? { state: 'asked', since, detail: 'the answer of the API server' };
    case 'going':
      return {
        state: 'ending',
        since,
        detail: `the end of its containers${state.evicted ? '' : ' (terminating by itself)'}`,
      };
    case 'gone':
      return { state: 'gone', since, detail: '' };
    case 'leftBehind':
      return { state: 'left behind', since, detail: 'terminating for longer than --skip-wait-for-delete-timeout' };
    case 'impossible':
      return { state: 'stuck', since, detail: state.message };
    case 'waiting': {
      const [holder, ...others] = holds(pod);
      if (holder !== undefined) return { state: 'held', since, detail: holdText(holder, others.length) };
      return said(state) ?? { state: 'next', since, detail: 'its turn' };
    }
  }
}

function said({ answer, since }: Waiting): Description | undefined {
  return answer === undefined ? undefined : { state: answer.kind, since, detail: answer.message };
}

function holdText(holder: string, others: number): string {
  return `the end of ${holder}${others === 0 ? '' : ` (and ${others} more)`}, which is broken already`;
}

/** What can only be waited for, or what was said. */
export function inWords({ state, detail }: Description): string {
  switch (state) {
    case 'next':
    case 'held':
    case 'asked':
    case 'ending':
      return `${state}, waits for ${detail}`;
    default:
      return detail === '' ? state : `${state}: ${detail}`;
  }
}
