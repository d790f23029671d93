import { expect, it } from 'vitest';
import { pubFor } from '../../../../../test/support/fleet.ts';
import { leftConditions } from '../../../src/operator/status/left-to-kruise.ts';

it('of a budget that OpenKruise enforces, Holdfast takes back every condition of its own, and keeps those of others', () => {
  const types = ['Enforced', 'NeverSufficient', 'TooManyBudgets', 'UnitsForgettable', 'OfAnother'];
  const conditions = types.map((type) => ({ type, status: 'True' as const, reason: type, message: '' }));
  const budget = { ...pubFor('web', { minAvailable: 1 }), status: { conditions } };
  const left = leftConditions(budget, 0).map(({ type, reason }) => `${type} ${reason}`);
  expect(left).toEqual(['OfAnother OfAnother', 'Enforced LeftToKruise']);
});
