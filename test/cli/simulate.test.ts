import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DrainSimulation } from '../../src/core/drain/simulate.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-simulate-'));
const example = 'examples/llm-serving.yaml';

beforeAll(() => {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
});
afterAll(() => rmSync(folder, { recursive: true }));

function simulate(...args: readonly string[]): {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/holdfast.js', 'simulate', ...args], {
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('holdfast simulate', () => {
  it('[M2] tells the waves of a drain, what waits and why, and exits with 0', () => {
    const { code, out, err } = simulate('--load', example, '--drain', 'node-b');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Draining node-b: 2 pods');
    expect(out).toMatch(/WAVE +NAMESPACE +POD +UNIT +EFFECT +BUDGET/);
    expect(out).toMatch(/1 +inference +llm-0-2 +llm\/0 +breaks a group +llm \(2 available, 1 needed\)/);
    expect(out).toMatch(/2 +inference +llm-1 +llm\/1 +breaks a group/);
    expect(out).toMatch(/llm-1: PodDisruptionBudget "llm" needs 1 available groups? and has 1 of 2 expected/);
    expect(out).toContain('2 of 2 pods can go, in 2 waves; 0 can never go');
  });

  it('[M2] exits with 1 when pods can never go, and says what blocks them', () => {
    const strict = file('strict.yaml', readFileSync(example, 'utf8').replace('minAvailable: 1', 'minAvailable: 2'));
    const { code, out } = simulate('--load', strict, '--drain', 'node-a', 'node-c');
    expect(code).toBe(1);
    expect(out).toContain('Can never go as things are');
    expect(out).toContain('0 of 4 pods can go');
    for (const pod of ['llm-0', 'llm-0-1', 'llm-1-1', 'llm-1-2']) expect(out).toContain(`${pod}: `);
  });

  it('[M1] prints the whole simulation as JSON', () => {
    const { code, out } = simulate('--load', example, '--drain', 'node-b', '-o', 'json');
    expect(code).toBe(0);
    const simulation: DrainSimulation = JSON.parse(out);
    expect(simulation.waves.map((wave) => wave.map((step) => step.pod.name))).toEqual([['llm-0-2'], ['llm-1']]);
    expect(simulation.waiting[0]?.blockers[0]).toMatchObject({ code: 'BudgetExhausted', available: 1, desired: 1 });
    expect(simulation.stuck).toEqual([]);
  });

  it('[M2] drains several nodes together, in any order if asked to', () => {
    const given = simulate('--load', example, '--drain', 'node-b', 'node-c', '-o', 'json');
    const any = simulate('--load', example, '--drain', 'node-b', 'node-c', '-o', 'json', '--order', 'any');
    const waves = (out: string) =>
      (JSON.parse(out) as DrainSimulation).waves.map((wave) => wave.map((step) => step.pod.name).toSorted());
    expect(waves(given.out)).toEqual([['llm-0-2'], ['llm-1', 'llm-1-1', 'llm-1-2']]);
    expect(waves(any.out)).toEqual([['llm-1', 'llm-1-1', 'llm-1-2'], ['llm-0-2']]);
  });

  it('reads objects from several files', () => {
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {nodeName: node-b}\nstatus: {phase: Running}\n';
    const { code, out } = simulate('--load', example, file('web.yaml', pod), '--drain', 'node-b');
    expect(code).toBe(0);
    expect(out).toMatch(/1 +default +web +- +not protected/);
    expect(out).toContain('3 of 3 pods can go');
  });

  it('exits with 2 on bad input, with a message that names the file', () => {
    for (const path of [file('bad.yaml', 'kind: ['), file('list.yaml', '- 1\n'), join(folder, 'missing.yaml')]) {
      const { code, out, err } = simulate('--load', path, '--drain', 'node-b');
      expect(code).toBe(2);
      expect(out).toBe('');
      expect(err).toContain(path);
      expect(err).not.toContain('    at ');
    }
  });

  it('exits with 2 for a node on which nothing runs, and names it', () => {
    const { code, err } = simulate('--load', example, '--drain', 'node-z');
    expect(code).toBe(2);
    expect(err).toContain('node-z');
  });

  it('tells a wrong call from pods that are stuck', () => {
    for (const args of [
      ['--load', example],
      ['--drain', 'node-b'],
      ['--load', example, '--drain', 'node-b', '-o', 'xml'],
    ]) {
      const { code, err } = simulate(...args);
      expect(err).toContain('error: ');
      expect(code).toBe(2);
    }
  });
});
