import { describe, expect, it } from 'vitest';
import { isFinished } from '../../../src/cli/simulate/simulation-result.ts';
import { app, eventsOf, node, object, simulated } from './snapshots.ts';

const budget = object('policy/v1', 'PodDisruptionBudget', 'web', {
  spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
});
const shop = [node('n1'), node('n2'), node('n3'), ...app('web', ['n1', 'n2', 'n3']), budget];

describe('a plan in a simulation', () => {
  it('[M6] is played wave after wave; each wave is back before the next one starts', async () => {
    const result = await simulated(shop, ['plan', '--node-time', '1m'], { plan: [['n1'], ['n3', 'n2']] });
    expect(isFinished(result)).toBe(true);
    expect(result.scenario).toMatchObject({ kind: 'plan', waves: [['n1'], ['n3', 'n2']], nodes: ['n1', 'n3', 'n2'] });
    const at = (kind: 'cordoned' | 'uncordoned', name: string) =>
      eventsOf(result, kind).find((event) => event.node === name)?.at ?? Number.NaN;
    expect(at('uncordoned', 'n1')).toBeGreaterThanOrEqual(60_000);
    expect(at('cordoned', 'n2')).toBeGreaterThanOrEqual(at('uncordoned', 'n1'));
    expect(result.outages).toEqual([]);
  });
});
