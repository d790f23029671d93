import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { durationMs } from '../../src/cli/duration.ts';
import { defineInstallCommand, defineUninstallCommand } from '../../src/cli/install/install-options.ts';
import { chosenValues } from '../../src/cli/install/install-values.ts';
import { defaultInstallValues } from '../../src/install/values/values.ts';

async function parse<T>(
  make: (run: (options: T) => Promise<void>) => Command,
  ...args: readonly string[]
): Promise<T | undefined> {
  let seen: T | undefined;
  const command = make(async (options) => {
    seen = options;
  });
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  await command.parseAsync(args, { from: 'user' });
  return seen;
}

describe('options', () => {
  it('of install', async () => {
    expect(await parse(defineInstallCommand)).toEqual({ crdsOnly: false, dryRun: 'none', timeout: 180_000 });
    const given = '--namespace n --image i --values v --crds-only --kubeconfig k --context c --timeout 1m30s'.split(
      ' ',
    );
    expect(await parse(defineInstallCommand, ...given)).toEqual({
      namespace: 'n',
      image: 'i',
      values: 'v',
      crdsOnly: true,
      dryRun: 'none',
      kubeconfig: 'k',
      context: 'c',
      timeout: 90_000,
    });
  });

  it.each([
    ['--dry-run', 'client'],
    ['--dry-run=client', 'client'],
    ['--dry-run=server', 'server'],
  ])('of a dry run: %s', async (arg, how) => {
    expect(await parse(defineInstallCommand, arg)).toMatchObject({ dryRun: how });
  });

  it('of uninstall', async () => {
    const defaults = {
      namespace: 'holdfast-system',
      deleteUserData: false,
      dryRun: false,
      yes: false,
      timeout: 180_000,
    };
    expect(await parse(defineUninstallCommand)).toEqual(defaults);
    expect(await parse(defineUninstallCommand, '--delete-user-data')).toEqual({ ...defaults, deleteUserData: true });
    expect(await parse(defineUninstallCommand, '--dry-run', '-y')).toEqual({ ...defaults, dryRun: true, yes: true });
  });

  it.each([['--dry-run=none'], ['--timeout=soon'], ['--set=a=b'], ['--timeout']])('refuse %s', async (arg) => {
    await expect(parse(defineInstallCommand, arg)).rejects.toThrow();
  });
});

describe('a duration', () => {
  it.each([
    ['90s', 90_000],
    ['3m', 180_000],
    ['1h30m', 5_400_000],
    ['24h', 86_400_000],
  ])('%s', (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });

  it.each(['', '0s', '5', '1d', '-1m', 's', '1m x', '25h', '9999999s'])('%j is none', (text) => {
    expect(() => durationMs(text)).toThrow('must be a duration');
  });
});

describe('values', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-install-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  function file(text: string): string {
    const path = join(folder, 'values.yaml');
    writeFileSync(path, text);
    return path;
  }

  it('come from the file, and what is said beside it wins', () => {
    expect(chosenValues({})).toEqual(defaultInstallValues);
    expect(chosenValues({ values: file('') })).toEqual(defaultInstallValues);
    const values = file('namespace: a\nimage: b:1\nreplicas: 3\n');
    expect(chosenValues({ values, image: 'c:2' })).toEqual({
      ...defaultInstallValues,
      namespace: 'a',
      image: 'c:2',
      replicas: 3,
    });
  });

  it.each([
    ['replicas: 0\nfoo: 1\n', /values\.yaml cannot be installed:\n {2}replicas: .*\n {2}foo: Forbidden/],
    ['[1]', /must be a map/],
    ['a: [', /values\.yaml: /],
    ['{}\n---\n{}\n', /one document is expected/],
  ])('%j are refused', (text, message) => {
    expect(() => chosenValues({ values: file(text) })).toThrow(message);
  });

  it('must be there, and a namespace must be one', () => {
    expect(() => chosenValues({ values: join(folder, 'none') })).toThrow(/--values: .*ENOENT/);
    expect(() => chosenValues({ namespace: 'kube-system' })).toThrow('must be a namespace of its own');
  });
});
