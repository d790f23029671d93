import type { Answer } from '../../support/kube-http.ts';
import { blockersOf } from './refusals.ts';

/** Refusals that say nothing about a budget: the replica that judged had not seen enough yet, and asks for a retry. */
const passing: ReadonlySet<string> = new Set([
  'BudgetNotObserved',
  'CacheStale',
  'LedgerBusy',
  'LedgerUnknown',
  'NotSynced',
  'OwnerNotResolved',
  'PodUnknown',
]);

/** The API server got no answer in time: here it shares its process with everything else, and its machine with other tests. */
function tookTooLong({ code, body }: Answer): boolean {
  return code === 500 && body.message.includes('context deadline exceeded');
}

/** As clients do: tests are about what is so, not about how soon it is seen on a machine that has no time. */
export async function persistently(ask: () => Promise<Answer>): Promise<Answer> {
  const end = performance.now() + 30_000;
  for (;;) {
    const answer = await ask();
    if (!mayPass(answer) || performance.now() > end) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function mayPass(answer: Answer): boolean {
  if (answer.code !== 429) return tookTooLong(answer);
  return blockersOf(answer).some((code) => passing.has(code ?? ''));
}
