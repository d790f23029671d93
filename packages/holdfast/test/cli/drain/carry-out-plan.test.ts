import { describe, expect, it } from 'vitest';
import { commandLine, withoutWave } from '../../../src/cli/command-line.ts';
import { carryOutPlan, type PlanDeps, rangeOf } from '../../../src/cli/drain/carry-out-plan.ts';
import type { Ending } from '../../../src/cli/drain/ending.ts';
import type { DrainSelection } from '../../../src/cli/drain/filters.ts';
import type { ListedPod } from '../../../src/cli/drain/listed-pod.ts';
import type { PlanFile } from '../../../src/cli/plan/plan-file.ts';

const fileNode = (name: string, pods = 1, surge = false) => ({ name, pods, surge });
const plan: PlanFile = { waves: [[fileNode('a'), fileNode('b')], [fileNode('c', 3)], [fileNode('d')]], never: [] };

function cluster(nodes: readonly string[], codes: Readonly<Record<string, number>> = {}) {
  const drained: string[][] = [];
  const said: string[] = [];
  const deps: PlanDeps = {
    find: async (name) => (nodes.includes(name) ? { name, cordoned: false, labels: {}, ready: true } : undefined),
    drain: async (wave, selected) => {
      drained.push(wave.map(({ name }) => name));
      // Safe: of each pod only its node is read.
      const evicted = wave.map(({ name }) => ({ node: name })) as unknown as readonly ListedPod[];
      selected({ evicted } as unknown as DrainSelection);
      const code = Math.max(...wave.map(({ name }) => codes[name] ?? 0));
      const ending: Ending = { out: [`done ${wave.length}`], err: [], code };
      return ending;
    },
    say: (line) => said.push(line),
    warn: (line) => said.push(line),
    continueAt: (wave) => `again from ${wave}`,
  };
  return { drained, said, deps };
}

describe('carrying out a plan', () => {
  it('[D6] drains wave after wave, and says what changed since it was made', async () => {
    const { drained, said, deps } = cluster(['a', 'b', 'c', 'd']);
    const { code, err } = await carryOutPlan(plan, rangeOf(plan, undefined, undefined), deps);
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(drained).toEqual([['a', 'b'], ['c'], ['d']]);
    expect(said).toContain('Wave 2 of 3: c');
    expect(said).toContain('warning: node c has 1 pods to evict, and 3 in the plan');
  });

  it('[D6] stops at a wave that is not finished, and prints how to continue there', async () => {
    const { drained, deps } = cluster(['a', 'b', 'c', 'd'], { c: 1 });
    const { code, err } = await carryOutPlan(plan, { from: 1, to: 3 }, deps);
    expect(code).toBe(1);
    expect(drained).toEqual([['a', 'b'], ['c']]);
    expect(err).toEqual(['Wave 2 of 3 is not finished. Later waves were not started. To continue:', '  again from 2']);
  });

  it('[D6] one wave of it leaves the others, and prints how to continue', async () => {
    const { drained, deps } = cluster(['a', 'b', 'c', 'd']);
    const { out } = await carryOutPlan(plan, rangeOf(plan, 2, undefined), deps);
    expect(drained).toEqual([['c']]);
    expect(out).toEqual(['To continue with wave 3:', '  again from 3']);
    expect(rangeOf(plan, undefined, 2)).toEqual({ from: 2, to: 3 });
    expect(() => rangeOf(plan, 4, undefined)).toThrow('the plan has no wave 4');
    expect(() => rangeOf(plan, 1, 2)).toThrow('exclude each other');
  });

  it('[D6] skips nodes that no longer exist, and touches nothing if none does', async () => {
    const { drained, said, deps } = cluster(['b', 'd']);
    await carryOutPlan(plan, { from: 1, to: 3 }, deps);
    expect(drained).toEqual([['b'], ['d']]);
    expect(said).toContain('warning: node a of wave 1 no longer exists, and is skipped');
    const empty = cluster([]);
    await expect(carryOutPlan(plan, { from: 1, to: 3 }, empty.deps)).rejects.toThrow('none of the nodes of the plan');
    expect(empty.drained).toEqual([]);
  });

  it('[D6] says which nodes the plan leaves out, and which need their replacement first', async () => {
    const { said, deps } = cluster(['a']);
    await carryOutPlan({ waves: [[fileNode('a', 1, true)]], never: ['x'] }, { from: 1, to: 1 }, deps);
    expect(said).toContain('warning: the plan leaves out nodes that could not be drained: x');
    expect(said).toContain('warning: the plan assumes that the replacement of node a already exists');
  });
});

describe('a command that people copy', () => {
  it('is quoted for a shell', () => {
    expect(commandLine(['drain', '-l', 'pool in (a, b)', "it's"])).toBe(
      `holdfast drain -l 'pool in (a, b)' 'it'\\''s'`,
    );
  });

  it('has no wave twice', () => {
    expect(withoutWave(['drain', '--plan', 'p', '--wave', '2', '--force', '--from-wave=3'])).toEqual([
      'drain',
      '--plan',
      'p',
      '--force',
    ]);
  });
});
