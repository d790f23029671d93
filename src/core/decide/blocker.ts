import { describeRefusal, type RefusalCode, type Withholder } from '../../api/reasons.ts';
import type { Blocker, Denied } from '../verdict.ts';

type BlockerFacts = Omit<Blocker, 'code' | 'message' | 'unblock'> & {
  readonly pod: { readonly name: string };
  readonly detail?: string;
  readonly withheldBy?: readonly Withholder[];
};

/** Longer details (a page of field errors) are cut: a refusal is read in a terminal. */
const maxDetail = 500;

export function blocker(code: RefusalCode, facts: BlockerFacts): Blocker {
  const { pod, detail, budget, withheldBy, ...numbers } = facts;
  const text = describeRefusal(code, {
    pod: pod.name,
    ...numbers,
    ...(budget === undefined ? {} : { budget: `${budget.kind} "${budget.name}"` }),
    ...(detail === undefined ? {} : { detail: detail.slice(0, maxDetail) }),
    ...(withheldBy === undefined ? {} : { withheldBy }),
  });
  return { code, ...(budget === undefined ? {} : { budget }), ...numbers, ...text };
}

export function deny(blockers: readonly Blocker[]): Denied {
  const [first] = blockers;
  if (first === undefined) throw new Error('a refusal needs a reason');
  const more = blockers.length - 1;
  const rest = more === 0 ? '' : ` (and ${more} more ${more === 1 ? 'reason' : 'reasons'})`;
  return { result: 'deny', blockers, message: `${first.message}${rest}; ${first.unblock}` };
}
