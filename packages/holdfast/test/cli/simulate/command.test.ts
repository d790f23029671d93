import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { builtCommand, ensureBuilt } from '../../../../../test/support/built.ts';
import type { SimulationResult } from '../../../src/cli/simulate/simulation-result.ts';
import { app, node, object, pdb } from './snapshots.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-simulate-'));
const example = 'examples/llm-serving.yaml';

beforeAll(() => {
  ensureBuilt();
});
afterAll(() => rmSync(folder, { recursive: true }));

function simulate(args: readonly string[], input = '') {
  const command = [builtCommand, 'simulate', ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', input });
  return { code: status, out: stdout, err: stderr };
}

function file(name: string, ...objects: readonly unknown[]): string {
  const path = join(folder, name);
  writeFileSync(path, objects.map((one) => (typeof one === 'string' ? one : stringify(one))).join('---\n'));
  return path;
}

describe('holdfast simulate', () => {
  it('prints the same twice, for people and for programs, and writes a page that needs nothing else', () => {
    const page = join(folder, 'page.html');
    const first = simulate([example, '--html', page, '--', 'drain', 'node-b']);
    expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: `wrote ${page}\n` });
    expect(first.out).toBe(readFileSync('packages/holdfast/test/cli/golden/simulate.txt', 'utf8'));
    const written = readFileSync(page, 'utf8');
    const withoutRecord = (text: string) => text.replace(/<p class="record dim">.*<\/p>/, '');
    expect(withoutRecord(written)).toBe(
      withoutRecord(readFileSync('packages/holdfast/test/cli/golden/simulate-html.txt', 'utf8')),
    );
    const [, record = ''] = /<p class="record dim">(.*)<\/p>/.exec(written) ?? [];
    expect(record).toContain(`holdfast simulate ${example} --html ${page} -- drain node-b`);
    expect(record).toMatch(/ · \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ · holdfast \d+\.\d+\.\d+$/);
    expect(written).not.toMatch(/(src|href)=|url\((?!#)|@import/);
    const [json, again] = [1, 2].map(() => simulate([example, '-o', 'json', '--', 'drain', 'node-b']));
    expect(again).toEqual(json);
    const result: SimulationResult = JSON.parse(json?.out ?? '');
    expect(result.scenario).toEqual({ kind: 'drain', nodes: ['node-b'] });
  });

  it('compares with what would be otherwise, and exits with 1 when something never goes', () => {
    const strict = file('strict.yaml', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'llm', namespace: 'inference' },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'llm' } } },
    });
    const { code, out, err } = simulate([example, '--with', strict, '--', 'drain', 'node-b']);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toContain('Compared, with PodDisruptionBudget inference/llm changed:');
    expect(out).toMatch(/finished +yes +no\n/);
    expect(out).toMatch(/pods never evicted +0 +2\n/);
  });

  it('plays a plan from a file, or makes one', () => {
    const nodes = file('plan-nodes.yaml', node('n1'), node('n2'), ...app('web', ['n1', 'n2']));
    const made = simulate([nodes, '-o', 'json', '--', 'plan', '--node-time', '30s']);
    expect({ code: made.code, err: made.err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(made.out).scenario).toMatchObject({ kind: 'plan', nodeMs: 30_000 });
    const plan = join(folder, 'plan.json');
    writeFileSync(plan, JSON.stringify({ kind: 'DrainPlan', schemaVersion: 1, waves: [{ nodes: [{ name: 'n2' }] }] }));
    const played = simulate([nodes, '--', 'plan', plan]);
    expect(played.out).toContain('Simulated: draining n2 by a plan of 1 wave,');
    expect(simulate([nodes, '--', 'plan', nodes])).toMatchObject({ code: 2 });
  });

  it('reads several files, and the standard input', () => {
    const nodes = file('nodes.yaml', node('n1'), node('n2'));
    const shop = app('web', ['n1', 'n2']).map((one) => stringify(one));
    const { code, out } = simulate([nodes, '-', '--pod-start', '5s', '--', 'drain', 'n1'], shop.join('---\n'));
    expect(code).toBe(0);
    expect(out).toContain('Pods start in 5s (by --pod-start)');
    expect(out).toContain('pod shop/web-0 evicted from n1');
  });

  const web = app('web', ['n1']);
  const [, orphan] = web;
  const wrong: readonly (readonly [string, () => readonly string[], string])[] = [
    ['no snapshot', () => ['--', 'drain', 'n1'], 'no snapshot is named'],
    ['files and a cluster', () => [example, '--from-cluster', '--', 'drain', 'n1'], 'are both named'],
    ['a namespace of files', () => [example, '-n', 'shop', '--', 'drain', 'n1'], 'Leave it out'],
    ['nothing after --', () => [example], 'Add it after --'],
    ['an empty wish', () => [example, '--'], 'Add it after --'],
    ['something that cannot be simulated', () => [example, '--', 'fly'], "unknown command 'fly'"],
    ['no node', () => [example, '--', 'drain'], "missing required argument 'node'"],
    ['a node that is not there', () => [example, '--', 'drain', 'node-z'], 'It has node-a, node-b, node-c.'],
    ['a zone that is not there', () => [example, '--', 'zone', 'moon'], 'Zones are zone-a, zone-b, zone-c.'],
    ['a selector that selects nothing', () => [example, '--', 'upgrade', '-l', 'a=b'], 'has the labels a=b'],
    ['a selector that cannot be read', () => [example, '--', 'upgrade', '-l', 'a in'], '-l a in: '],
    ['no nodes at once', () => [example, '--', 'upgrade', '--max-unavailable', '0'], 'must be a number of nodes'],
    ['a time that is none', () => [example, '--', 'upgrade', '--node-time', 'soon'], 'must be a duration'],
    ['a start that is none', () => [example, '--pod-start', 'soon', '--', 'upgrade'], 'must be a duration'],
    ['a seed that is none', () => [example, '--seed', '-1', '--', 'upgrade'], 'must be a number from 0'],
    ['another format', () => [example, '-o', 'xml', '--', 'upgrade'], 'Allowed choices are json, yaml'],
    ['the flags of before', () => ['--load', example, '--', 'upgrade'], "unknown option '--load'"],
    ['a file that is not there', () => [join(folder, 'none.yaml'), '--', 'upgrade'], 'none.yaml'],
    ['a file that is no YAML', () => [file('bad.yaml', 'kind: ['), '--', 'upgrade'], 'bad.yaml:1: document 1'],
    ['a file without objects', () => [file('empty.yaml', ''), '--', 'upgrade'], 'there is no object in it'],
    ['no pods', () => [file('bare.yaml', node('n1')), '--', 'upgrade'], 'the snapshot has no pods'],
    [
      'pods without their owners',
      () => [file('orphan.yaml', orphan), '--', 'upgrade'],
      'Add replicasets.apps to what you export',
    ],
    [
      'pods without their revisions',
      () => [
        file(
          'revision.yaml',
          ...web,
          object('v1', 'Pod', 'db-0', {}, { labels: { 'controller-revision-hash': 'db-1' } }),
        ),
        '--',
        'upgrade',
      ],
      'Add controllerrevisions.apps to what you export',
    ],
    ['changes that cannot be read', () => [example, '--with', 'none.yaml', '--', 'upgrade'], 'none.yaml'],
    [
      'a page that cannot be written',
      () => [example, '--html', '/nowhere/x', '--', 'drain', 'node-b'],
      '--html /nowhere/x cannot be written',
    ],
  ];
  it.each(wrong)('exits with 2 and says what to do about %s', (_, args, message) => {
    const { code, out, err } = simulate(args());
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('error: ');
    expect(err).toContain(message);
    expect(err).not.toContain('    at ');
  });

  it('leaves out what cannot be loaded, and says so', () => {
    const bad = pdb('web', { minAvailable: -1 });
    const { code, out } = simulate([file('odd.yaml', node('n1'), node('n2'), ...web, bad), '--', 'drain', 'n1']);
    expect(code).toBe(0);
    expect(out).toContain('left out: PodDisruptionBudget shop/web: ');
  });

  it('shows what it can do, with examples', () => {
    const { code, out } = simulate(['--help']);
    expect(code).toBe(0);
    for (const text of ['drain NODE...', 'zone ZONE', '--max-unavailable', '--from-cluster', 'Exits with 0'])
      expect(out).toContain(text);
  });
});
