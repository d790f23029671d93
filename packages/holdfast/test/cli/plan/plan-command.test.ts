import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtCommand, ensureBuilt } from '../../../../../test/support/built.ts';
import type { DrainPlan } from '../../../src/core/plan/plan-result.ts';
import { fleet } from './fleet.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-plan-command-'));
const file = join(folder, 'fleet.yaml');

beforeAll(() => {
  writeFileSync(file, fleet());
  ensureBuilt();
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: readonly string[]): { readonly code: number | null; readonly out: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [builtCommand, 'plan', ...args], {
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

describe('holdfast plan', () => {
  it('plans for the nodes that are named, and exits with 0', () => {
    const { code, out, err } = run('a1', 'b2', '--load', file);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Plan for 2 nodes: 2 can be drained, in 2 waves.');
  });

  it('plans for nodes with labels, as JSON', () => {
    const { code, out } = run('-l', 'pool=gpu', '--load', file, '-o', 'json');
    const plan: DrainPlan = JSON.parse(out);
    expect(plan.waves.flatMap((wave) => wave.nodes.map(({ name }) => name)).toSorted()).toEqual(['a1', 'a2', 'a3']);
    expect(code).toBe(0);
  });

  it('exits with 1 when a node cannot be drained, and says so', () => {
    const { code, out } = run('--all', '--load', file);
    expect(code).toBe(1);
    expect(out).toContain('Cannot be drained: 1 node');
  });

  it('prints JSON that says which form it has', () => {
    expect(JSON.parse(run('b2', '--load', file, '-o', 'json').out)).toMatchObject({
      kind: 'DrainPlan',
      schemaVersion: 1,
    });
  });

  it('exits with 2 for a snapshot without nodes, as for labels that no node has', () => {
    const { code, out, err } = run('--all', '--load', 'examples/demo.yaml');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('the snapshot has no nodes');
  });

  it('draws', () => {
    expect(run('--all', '--load', file, '-o', 'svg').out).toMatch(/^<svg .*<\/svg>\n$/s);
  });

  it.each([
    { args: [], want: 'name nodes, or choose them' },
    { args: ['a1', '--all'], want: 'One of these, and only one.' },
    { args: ['a1', 'nowhere'], want: 'node nowhere does not exist' },
    { args: ['-l', 'pool=none'], want: 'no node has the labels pool=none' },
    { args: ['-l', 'pool in'], want: '-l pool in: ' },
    { args: ['a1', '--max-surge', '-1'], want: 'must be a number from 0' },
    { args: ['a1', '--start-up', 'soon'], want: 'must be a duration' },
    { args: ['a1', '-o', 'png'], want: 'Allowed choices' },
  ])('exits with 2 on $args', ({ args, want }) => {
    const { code, out, err } = run(...args, '--load', file);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(want);
    expect(err).not.toContain('    at ');
  });
});
