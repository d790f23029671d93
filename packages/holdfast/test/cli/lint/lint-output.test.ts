import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtCommand, ensureBuilt } from '../../../../../test/support/built.ts';
import { fromManifests } from '../../../src/cli/lint/sources.ts';
import { startLines } from '../../../src/cli/lint/start-lines.ts';
import { lint, rules } from '../../../src/core/lint/lint.ts';
import { expectGolden } from '../golden.ts';
import { deployment, pdb, yamlOf } from './manifests.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-lint-'));
const strict = yamlOf([pdb('web', { minAvailable: 3 }), deployment(3, { containers: [{ name: 'main' }] })]);

beforeAll(() => {
  mkdirSync(join(folder, 'deep'));
  writeFileSync(join(folder, 'deep', 'web.yaml'), `# The shop.\n${strict}`);
  writeFileSync(join(folder, 'fine.yaml'), yamlOf([pdb('web', { maxUnavailable: 1 }), deployment(3)]));
  writeFileSync(join(folder, 'notes.txt'), 'not a manifest');
  ensureBuilt();
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs in the folder, so that outputs name files as they do everywhere. */
function run(args: readonly string[], input = ''): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [builtCommand, 'lint', ...args], {
    encoding: 'utf8',
    input,
    cwd: folder,
  });
  return { code: status, out: stdout, err: stderr };
}

describe('holdfast lint', () => {
  it('tells people where, what, why and how to put it right, and exits with 1', () => {
    const { code, out, err } = run(['deep']);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expectGolden('lint', out);
  });

  it('tells programs the same', () => {
    expectGolden('lint-json', run(['deep/web.yaml', '-o', 'json']).out);
  });

  it('writes SARIF that names every rule, the file and the line', () => {
    const { runs, version } = JSON.parse(run(['deep', '-o', 'sarif']).out);
    expect(version).toBe('2.1.0');
    const [{ tool, results }] = runs;
    expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(rules.map(({ code }) => code));
    expect(results).toHaveLength(2);
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
    expect(results[0]).toMatchObject({
      ruleId: 'HF003',
      level: 'error',
      locations: [{ physicalLocation: { artifactLocation: { uri: 'deep/web.yaml' }, region: { startLine: 11 } } }],
    });
  });

  it('finds nothing in what is fine', () => {
    expect(run(['fine.yaml'])).toEqual({ code: 0, out: 'Nothing found.\n', err: '' });
  });

  it('reads standard input', () => {
    expect(run(['-'], strict)).toMatchObject({ code: 1 });
    expect(run(['-', '--ignore', 'HF003', 'HF011'], strict)).toMatchObject({ code: 0, out: 'Nothing found.\n' });
  });

  it.each([
    { args: ['--fail-on', 'never'], want: 0 },
    { args: ['--fail-on', 'warning', '--ignore', 'HF003'], want: 1 },
    { args: ['--fail-on', 'error', '--ignore', 'HF003'], want: 0 },
  ])('exits with $want for $args', ({ args, want }) => {
    expect(run(['deep', ...args]).code).toBe(want);
  });

  it.each([
    { args: [], want: 'name files, or a cluster' },
    { args: ['deep', '-A'], want: 'One of these, and only one.' },
    { args: ['missing.yaml'], want: 'missing.yaml' },
    { args: ['deep', '--ignore', 'HF999'], want: 'Allowed choices' },
    { args: ['notes.txt'], want: 'notes.txt: document 1 is not an object' },
  ])('exits with 2 on $args', ({ args, want }) => {
    const { code, out, err } = run(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(want);
    expect(err).not.toContain('    at ');
  });
});

describe('a folder of a repository', () => {
  const repository = join(folder, 'repository');
  const files: Readonly<Record<string, string>> = {
    'kustomization.yaml': 'resources: []\n',
    'overlay/kustomization.yaml': 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n',
    'chart/values.yaml': 'replicas: 3\n',
    'chart/templates/web.yaml': 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n',
    'chart/templates/list.yaml': '{{- range .Values.all }}\nkind: Pod\n{{- end }}\n',
    'package.json': '{"name": "web"}',
    'web.yaml': strict,
  };
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(repository, name)), { recursive: true });
    writeFileSync(join(repository, name), text);
  };
  beforeAll(() => {
    for (const [name, text] of Object.entries(files)) write(name, text);
  });

  it('is checked as far as it has manifests, and what else is in it is named and counted', () => {
    const { code, out, err } = run(['repository']);
    expect(code).toBe(1);
    expect(out).toContain('repository/web.yaml:10: error HF003 PodDisruptionBudget web: ');
    expect(err.trimEnd().split('\n')).toEqual([
      'note: skipped repository/chart/templates/list.yaml: it is a template ({{ ... }}); lint what it renders: helm template ... | holdfast lint -',
      'note: skipped repository/chart/templates/web.yaml: it is a template ({{ ... }}); lint what it renders: helm template ... | holdfast lint -',
      'note: skipped repository/chart/values.yaml: document 1 has no apiVersion or kind',
      'note: skipped repository/kustomization.yaml: document 1 has no apiVersion or kind',
      'note: skipped repository/overlay/kustomization.yaml: document 1 (Kustomization) has no metadata.name',
      'note: skipped repository/package.json: document 1 has no apiVersion or kind',
      'note: 6 documents skipped, 5 files read',
    ]);
  });

  it('has no whole answer where a manifest cannot be read, and the line is named', () => {
    write('broken/bad.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: a\n');
    write('broken/fine.yaml', strict);
    const { code, out, err } = run(['repository/broken']);
    expect(code).toBe(2);
    expect(out).toContain('HF003');
    expect(err).toMatch(/^warning: repository\/broken\/bad\.yaml:\d+: .*: it was not checked$/m);
    const named = run(['repository/broken/bad.yaml']);
    expect(named).toMatchObject({ code: 2, out: '' });
    expect(named.err).toMatch(/^error: repository\/broken\/bad\.yaml:\d+: document 1: /);
  });

  it('is an error where it has no manifest at all', () => {
    const { code, err } = run(['repository/chart']);
    expect(code).toBe(2);
    expect(err).toContain('error: there is no manifest in these files');
  });
});

describe('the line of a finding', () => {
  const template = [
    '      annotations:',
    '        holdfast.dev/disruption-probe: "{"',
    '        holdfast.dev/nosuch: x',
  ];
  const text = [
    'apiVersion: v1',
    'kind: List',
    'items:',
    '- apiVersion: apps/v1',
    '  kind: Deployment',
    '  metadata: {name: web}',
    '  spec:',
    '    template:',
    '      metadata:',
    ...template.map((line) => `  ${line}`),
    '      spec: {containers: [{name: main, readinessProbe: {tcpSocket: {port: 1}}}]}',
    '- apiVersion: policy/v1',
    '  kind: PodDisruptionBudget',
    '  metadata: {name: web}',
    '  spec:',
    '    selector: {matchLabels: {app: nosuch}}',
    '    minAvailable: 1',
  ].join('\n');

  it('is that of the field, also in a List, in a template and in SARIF', () => {
    writeFileSync(join(folder, 'list.yaml'), text);
    const { findings } = JSON.parse(run(['list.yaml', '-o', 'json']).out);
    expect(findings.map(({ code, line, field }: Record<string, unknown>) => [code, line, field])).toEqual([
      ['HF004', 18, 'spec.selector'],
      ['HF010', 11, 'spec.template.metadata.annotations[holdfast.dev/disruption-probe]'],
      ['HF013', 12, 'spec.template.metadata.annotations[holdfast.dev/nosuch]'],
    ]);
    expect(findings[1].message).toMatch(/^spec\.template\.metadata\.annotations\[holdfast\.dev\/disruption-probe\]: /);
    const { runs } = JSON.parse(run(['list.yaml', '-o', 'sarif']).out);
    expect(runs[0].results[0].locations[0].physicalLocation.region).toEqual({ startLine: 18 });
  });
});

describe('what we ship', () => {
  it('has no errors of its own', () => {
    const shipped = fromManifests(['examples', 'deploy']);
    expect(shipped.objects.length).toBeGreaterThan(20);
    expect(lint(shipped).filter(({ rule }) => rule.severity === 'error')).toEqual([]);
  });
});

describe('the line in which a document begins', () => {
  it.each([
    { title: 'one document', text: 'a: 1\n', want: [1] },
    { title: 'after comments', text: '# x\n\na: 1\n', want: [3] },
    { title: 'after a separator', text: '---\na: 1\n---\n# x\nb: 1\n', want: [2, 5] },
    { title: 'with comments before it', text: '# x\n---\na: 1\n---\nb: 1\n', want: [3, 5] },
    { title: 'without one before the first', text: 'a: 1\n---\nb: 1\n', want: [1, 3] },
    { title: 'JSON', text: '\n{"a":\n1}', want: [1] },
  ])('$title', ({ text, want }) => {
    expect(startLines(text)).toEqual(want);
  });
});
