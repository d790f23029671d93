import { describe, expect, it } from 'vitest';
import type { BudgetRef } from '../../../src/core/verdict.ts';
import { createBudgetMetrics } from '../../../src/operator/status/budget-metrics.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { TestClock } from '../../kube/support/test-clock.ts';

const budget = (name: string): BudgetRef => ({ kind: 'PodDisruptionBudget', namespace: 'shop', name });

function shown(max?: number) {
  const clock = new TestClock();
  const metrics = createMetrics();
  const budgets = createBudgetMetrics(metrics, clock, max);
  const lines = async (part: string) =>
    (await metrics.render()).split('\n').filter((line) => line.startsWith('holdfast_') && line.includes(part));
  const blocked = async (name: string) =>
    Number((await lines(`blocked_seconds_total`)).find((line) => line.includes(`"${name}"`))?.split(' ')[1]);
  return { clock, budgets, lines, blocked };
}

describe('metrics of budgets', () => {
  it('count the time during which a budget was blocked, up to the scrape', async () => {
    const { clock, budgets, blocked } = shown();
    budgets.show(budget('llm'), { blocked: false });
    await clock.advance(5_000);
    expect(await blocked('llm')).toBe(0);
    budgets.show(budget('llm'), { blocked: true });
    await clock.advance(1_500);
    expect([await blocked('llm'), await blocked('llm')]).toEqual([1.5, 1.5]);
    await clock.advance(500);
    budgets.show(budget('llm'), { blocked: true });
    await clock.advance(1_000);
    budgets.show(budget('llm'), { blocked: false });
    await clock.advance(9_000);
    expect(await blocked('llm')).toBe(3);
  });

  it('show for how long a budget is blocked without a break, and whether it ever allows anything', async () => {
    const { clock, budgets, lines } = shown();
    budgets.show(budget('llm'), { blocked: true, never: true });
    await clock.advance(1_500);
    budgets.show(budget('llm'), { blocked: true });
    await clock.advance(500);
    expect(await lines('blocked_seconds{')).toEqual([expect.stringMatching(/ 2$/)]);
    expect(await lines('never_allows{')).toEqual([expect.stringMatching(/ 0$/)]);
    budgets.show(budget('llm'), { blocked: false });
    expect(await lines('blocked_seconds{')).toEqual([expect.stringMatching(/ 0$/)]);
    budgets.forget(budget('llm'));
    expect(await lines('llm')).toEqual([]);
  });

  it('show no number that is not known', async () => {
    const { budgets, lines } = shown();
    budgets.show(budget('llm'), { available: 1, desired: 2, expected: 3, blocked: true });
    expect(await lines('_units{')).toHaveLength(3);
    budgets.show(budget('llm'), { available: 1, blocked: true });
    expect(await lines('_units{')).toEqual([expect.stringContaining('available_units')]);
  });

  it('forget a deleted budget, and start again when it comes back', async () => {
    const { clock, budgets, lines, blocked } = shown();
    budgets.show(budget('llm'), { available: 1, blocked: true });
    await clock.advance(1_000);
    expect(await blocked('llm')).toBe(1);
    budgets.forget(budget('llm'));
    expect(await lines('llm')).toEqual([]);
    budgets.show(budget('llm'), { available: 1, blocked: true });
    expect(await blocked('llm')).toBe(0);
    budgets.clear();
    expect(await lines('llm')).toEqual([]);
  });

  it('have series for so many budgets and no more; who is left out comes in when there is room', async () => {
    const { budgets, lines } = shown(2);
    for (const name of ['a', 'b', 'c']) budgets.show(budget(name), { available: 1, blocked: false });
    expect((await lines('available_units')).map((line) => /budget="(.)"/.exec(line)?.[1])).toEqual(['a', 'b']);
    expect(await lines('budgets_left_out')).toEqual(['holdfast_budgets_left_out 1']);
    budgets.forget(budget('a'));
    budgets.show(budget('c'), { available: 1, blocked: false });
    expect((await lines('available_units')).map((line) => /budget="(.)"/.exec(line)?.[1])).toEqual(['b', 'c']);
    expect(await lines('budgets_left_out')).toEqual(['holdfast_budgets_left_out 0']);
  });
});
