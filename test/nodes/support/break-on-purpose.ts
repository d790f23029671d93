import { execFileSync } from 'node:child_process';
import { note } from './notes.ts';

/**
 * Shows that the suite fails when budgets are overspent: `HOLDFAST_TEST_BREAK=webhooks npm run test:nodes -- test/nodes/drains.test.ts`
 * takes the webhooks away once the budgets are enforced.
 */
export function breakOnPurpose(what: string | undefined): void {
  if (what === undefined || what === '') return;
  if (what !== 'webhooks') throw new Error(`HOLDFAST_TEST_BREAK is "${what}": it can be "webhooks"`);
  note('HOLDFAST_TEST_BREAK', 'the webhooks are removed; the tests of budgets must fail now');
  const kinds = 'validatingwebhookconfigurations,mutatingwebhookconfigurations';
  execFileSync('kubectl', ['delete', kinds, '--selector=app.kubernetes.io/name=holdfast'], { stdio: 'inherit' });
}
