import { describe, expect, it } from 'vitest';
import { loadObjects } from '../../../src/cli/load-objects.ts';
import { plain } from '../../../src/cli/output/paint.ts';
import { pageOf } from '../../../src/cli/simulate/html/page.ts';
import { mostDownAtOnce } from '../../../src/cli/simulate/records/figures.ts';
import { isFinished } from '../../../src/cli/simulate/simulation-result.ts';
import { overlay } from '../../../src/cli/simulate/snapshot/overlay.ts';
import { comparisonText } from '../../../src/cli/simulate/texts/compare-text.ts';
import { resultText } from '../../../src/cli/simulate/texts/simulate-text.ts';
import { expectGolden } from '../golden.ts';
import { eventsOf, simulated } from './snapshots.ts';

const example = loadObjects('examples/llm-serving.yaml');
const perPod = loadObjects('examples/llm-serving-per-pod.yaml');

const record = { command: 'holdfast simulate', date: '2026-01-01T00:00:00Z', version: '0.0.0' };

describe('the example of the proposal for budgets over groups', () => {
  it('[M6] makes node-b wait: one of its pods goes, and the other one when the first group is back', async () => {
    const result = await simulated(example, ['drain', 'node-b']);
    expect(isFinished(result)).toBe(true);
    const [first, second, ...more] = eventsOf(result, 'evicted');
    expect(more).toEqual([]);
    expect(first?.pod).toMatchObject({ name: 'llm-0-2', node: 'node-b' });
    expect(second?.pod).toMatchObject({ name: 'llm-1-0', node: 'node-b' });
    const [refused] = eventsOf(result, 'refused');
    expect(refused).toMatchObject({ pod: { name: 'llm-1-0' } });
    expect(refused?.message).toContain('needs 1 available group and has 1 of 2;');
    const back = eventsOf(result, 'groupUp').find(({ group }) => group === 'serving/0');
    expect(back?.at).toBeGreaterThan(10_000);
    expect(second?.at).toBeGreaterThanOrEqual(back?.at ?? Number.NaN);
    expect(mostDownAtOnce(result.groups, result.durationMs)).toBe(1);
    expect(result.budgets).toMatchObject([{ unit: 'group', desired: 1, available: 2, lowest: 1 }]);
    expect(result.violations).toEqual([]);
    expectGolden('simulate', resultText(result, plain));
    expectGolden('simulate-html', pageOf(result, record));
  });

  it('[M6] shows what the same drain does under a budget that counts pods: both groups are down at once', async () => {
    const asItIs = await simulated(example, ['drain', 'node-b']);
    const { objects, changed: changes } = overlay(example, perPod);
    const changed = await simulated(objects, ['drain', 'node-b']);
    expect(changes).toEqual(['PodDisruptionBudget inference/llm']);
    expect(mostDownAtOnce(changed.groups, changed.durationMs)).toBe(2);
    expect(eventsOf(changed, 'refused')).toEqual([]);
    expect(changed.budgets).toMatchObject([{ unit: 'pod', desired: 3, available: 6, lowest: 4 }]);
    expect(changed.durationMs).toBeLessThan(asItIs.durationMs);
    expect(asItIs.outages).toEqual([]);
    expect(changed.outages).toMatchObject([{ unit: 'group', of: 'inference/serving' }]);
    expectGolden('simulate-compare', comparisonText({ asItIs, changed, changes }, plain));
    const page = pageOf({ asItIs, changed, changes }, record);
    // The outage stands above the comparison, that above both runs, and the run with the outage is not green.
    const alarm = page.indexOf('<p class="alarm">Changed: Down: no group of inference/serving served from');
    const places = [alarm, page.indexOf('<table class="compare">'), page.indexOf('<h2>As it is</h2>')];
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(alarm).toBeGreaterThan(0);
    expect(page.match(/<p class="good">/g)).toHaveLength(1);
    expect(page.indexOf('<p class="good">')).toBeLessThan(page.indexOf('<h2>Changed'));
  });

  it('[M6] is the same for the same seed, and another for another', async () => {
    const [first, second, third] = [
      await simulated(example, ['upgrade']),
      await simulated(example, ['upgrade']),
      await simulated(example, ['upgrade'], { seed: 2 }),
    ];
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
    expect(third.timeline).not.toEqual(first.timeline);
    expect(isFinished(third)).toBe(true);
  });

  it('[M6] never ends where the budget needs every group, and says why, as the operator says it', async () => {
    const strict = example.map((object) =>
      object.kind === 'PodDisruptionBudget'
        ? { ...object, spec: { ...(object['spec'] as object), minAvailable: 2 } }
        : object,
    );
    const result = await simulated(strict, ['drain', 'node-a']);
    expect(result.end).toBe('standstill');
    expect(isFinished(result)).toBe(false);
    expect(result.nodes).toMatchObject([{ name: 'node-a', begun: 0, evicted: 0 }]);
    expect(result.nodes[0]).not.toHaveProperty('drained');
    expect(result.unfinished.map(({ pod }) => pod.name)).toEqual(['llm-0-0', 'llm-0-1']);
    for (const { why } of result.unfinished) expect(why).toContain('requires all 2 of its 2 groups');
    expect(result.budgets[0]?.atLimit).toEqual([{ from: 0 }]);
    expectGolden('simulate-unfinished', resultText(result, plain));
    expect(pageOf(result, record)).toContain('class="stuck"');
  });

  it('is given up when its time is over', async () => {
    const result = await simulated(example, ['drain', 'node-b'], { limitMs: 10_000 });
    expect(result.end).toBe('limit');
    expect(result.durationMs).toBeLessThanOrEqual(10_000);
    expect(result.unfinished).toMatchObject([{ pod: { name: 'llm-1-0' } }]);
    expect(resultText(result, plain)).toContain('Not finished within 10s (--limit)');
  });
});
