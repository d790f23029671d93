import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtCommand, ensureBuilt } from '../../../../test/support/built.ts';
import { type Cluster, startCluster } from '../../../embedded-cluster/src/cluster.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-install-'));
const kubeconfig = join(folder, 'kubeconfig');
let cluster: Cluster;

beforeAll(async () => {
  ensureBuilt();
  cluster = await startCluster({ controllers: false, report: () => undefined });
  writeFileSync(kubeconfig, cluster.kubeconfig());
});
afterAll(async () => {
  await cluster?.close();
  rmSync(folder, { recursive: true });
});

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function holdfast(...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [builtCommand, ...args], { env: { HOME: folder } });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      err += String(chunk);
    });
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

const crds = ['podunavailablebudgets.policy.kruise.io', 'disruptionledgers.holdfast.dev'].map(
  (name) => `customresourcedefinition.apiextensions.k8s.io/${name}`,
);

describe('holdfast install and uninstall', () => {
  it('print, without a cluster, what is in deploy/install.yaml', async () => {
    const { code, out, err } = await holdfast('install', '--dry-run');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(readFileSync('deploy/install.yaml', 'utf8').replace(/^#.*\n/, '')).toBe(out);
  });

  it('print manifests for a tool that applies everything at once, and do not apply them themselves', async () => {
    const values = join(folder, 'at-once.yaml');
    writeFileSync(values, 'webhook: { registeredBy: operator }');
    const printed = await holdfast('install', '--dry-run', '--values', values);
    expect(printed).toMatchObject({ code: 0, err: '' });
    expect(readFileSync('deploy/kustomize/holdfast.yaml', 'utf8').replace(/^#.*\n/, '')).toBe(printed.out);
    expect(printed.out).toContain('--register-webhooks=Fail');
    const applied = await holdfast('install', '--values', values, '--kubeconfig', kubeconfig);
    expect(applied).toMatchObject({ code: expect.toSatisfy((code: number) => code > 0), out: '' });
    expect(applied.err).toContain('webhook.registeredBy: operator is for manifests that another tool applies');
  });

  it('do to a cluster what they say', async () => {
    const to = ['--kubeconfig', kubeconfig];
    const first = await holdfast('install', '--crds-only', ...to);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out.split('\n').filter((line) => line.endsWith('created'))).toEqual(
      crds.map((crd) => `${crd} created`),
    );
    const second = await holdfast('install', '--crds-only', ...to);
    expect(second).toEqual({ code: 0, err: '', out: crds.map((crd) => `${crd} unchanged\n`).join('') });
    const would = await holdfast('uninstall', '--delete-user-data', '--dry-run', ...to);
    expect(would).toMatchObject({ code: 0, err: '' });
    for (const crd of crds) expect(would.out).toContain(`${crd} deleted (server dry run)`);
    const unasked = await holdfast('uninstall', '--delete-user-data', ...to);
    expect(unasked).toMatchObject({ code: 2, out: '' });
    expect(unasked.err).toBe(
      'error: --delete-user-data deletes 0 PodUnavailableBudgets and 0 DisruptionLedgers, with their definitions, in all namespaces, and there is no terminal to confirm it on\nAdd --yes to agree.\n',
    );
    const removal = await holdfast('uninstall', '--delete-user-data', '--yes', ...to);
    expect(removal).toMatchObject({ code: 0, err: '' });
    for (const crd of crds) expect(removal.out).toContain(`${crd} deleted`);
    expect((await holdfast('uninstall', ...to)).out).toBe('note: nothing of Holdfast is installed\n');
  });

  it.each([[[]], [['--dry-run=server']]])('refuse a simulated cluster before the first write: %j', async (more) => {
    const ran = await holdfast('install', '--kubeconfig', kubeconfig, ...more);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain('error: this is a cluster of `holdfast up`');
    expect((await holdfast('uninstall', '--kubeconfig', kubeconfig)).out).toBe(
      'note: nothing of Holdfast is installed\n',
    );
  });

  it.each<readonly [string, readonly string[], number, string]>([
    ['no kubeconfig', ['install'], 2, 'error: there is no kubeconfig'],
    ['a kubeconfig that is not there', ['uninstall', '--kubeconfig', 'none'], 2, 'error: none does not exist'],
    ['a word that is none', ['install', '--dry-run=maybe'], 2, "argument 'maybe' is invalid"],
    ['a namespace that is not its own', ['install', '--namespace=default'], 2, 'must be a namespace of its own'],
  ])('refuse %s', async (_, args, code, says) => {
    const ran = await holdfast(...args);
    expect(ran.code).toBe(code);
    expect(ran.err).toContain(says);
    expect(ran.out).toBe('');
  });
});
