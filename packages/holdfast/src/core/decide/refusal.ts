import type { RefusalCode, RefusalFacts, Withholder } from '../../api/refusals/reasons.ts';
import { outlookOf } from '../../api/refusals/refusal-outlook.ts';
import { describeRefusal } from '../../api/refusals/refusal-texts.ts';
import { budgetName, counted } from '../../api/wording.ts';
import type { Blocker, Denied } from '../verdict.ts';

type BlockerFacts = Omit<Blocker, 'code' | 'outlook' | 'message' | 'unblock'> & {
  readonly pod: { readonly name: string };
  readonly detail?: string;
  readonly pending?: boolean;
  readonly withheldBy?: readonly Withholder[];
};

/** Longer details (a page of field errors) are cut: a refusal is read in a terminal. */
const maxDetail = 500;

export function blocker(code: RefusalCode, facts: BlockerFacts): Blocker {
  const { pod, detail, budget, withheldBy, pending, ...numbers } = facts;
  const known: RefusalFacts = {
    pod: pod.name,
    ...numbers,
    ...(budget === undefined ? {} : { budget: budgetName(budget) }),
    ...(pending === undefined ? {} : { pending }),
    ...(detail === undefined ? {} : { detail: detail.slice(0, maxDetail) }),
    ...(withheldBy === undefined ? {} : { withheldBy }),
  };
  const text = describeRefusal(code, known);
  const outlook = outlookOf(code, known);
  return { code, outlook, ...(budget === undefined ? {} : { budget }), ...numbers, ...text };
}

export function deny(blockers: readonly Blocker[]): Denied {
  const [first] = blockers;
  if (first === undefined) throw new Error('a refusal needs a reason');
  const more = blockers.length - 1;
  const rest = more === 0 ? '' : ` (and ${counted(more, 'more reason')})`;
  return { result: 'deny', blockers, message: `${first.message}${rest}; ${first.unblock}` };
}

/** A refusal as the Kubernetes API carries it: a Status with one cause for each blocker. */
export interface Refusal {
  readonly code: 429;
  readonly reason: 'TooManyRequests';
  /** Zero: any larger number becomes a header on which Go clients sleep and retry before their user sees the refusal. */
  readonly retryAfterSeconds: 0;
  readonly message: string;
  readonly causes: readonly RefusalCause[];
}

export interface RefusalCause {
  readonly reason: 'DisruptionBudget';
  readonly message: string;
  /** What blocks: our code for it, so that programs need not read sentences. */
  readonly field: string;
}

/** More causes than a person reads are counted, not listed; a Status stays small whatever covers a pod. */
const maxCauses = 20;

/** "Not now" has one shape (I8): kubectl retries on 429 alone, and others forget a pod on 404 or 409. */
export function refusalOf(denied: Denied): Refusal {
  const causes = denied.blockers.slice(0, maxCauses).map((one): RefusalCause => {
    return { reason: 'DisruptionBudget', message: `${one.message}; ${one.unblock}`, field: one.code };
  });
  return { code: 429, reason: 'TooManyRequests', retryAfterSeconds: 0, message: denied.message, causes };
}
