import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { renderKubeconfig, writeKubeconfig } from '../../src/auth/kubeconfig.ts';

const text = renderKubeconfig({
  server: 'https://127.0.0.1:6443',
  caCertificate: 'the ca',
  client: { certificate: 'the certificate', key: 'the key' },
});

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-kubeconfig-'));
});

afterEach(() => rmSync(directory, { recursive: true }));

test('clients read server, authority and identity out of it', () => {
  const config = new KubeConfig();
  config.loadFromString(text);
  expect(config.getCurrentContext()).toBe('holdfast');
  expect(config.getCurrentCluster()).toMatchObject({ name: 'holdfast', server: 'https://127.0.0.1:6443' });
  expect(Buffer.from(config.getCurrentCluster()?.caData ?? '', 'base64').toString()).toBe('the ca');
  expect(config.getCurrentUser()?.name).toBe('holdfast-admin');
  expect(Buffer.from(config.getCurrentUser()?.certData ?? '', 'base64').toString()).toBe('the certificate');
  expect(Buffer.from(config.getCurrentUser()?.keyData ?? '', 'base64').toString()).toBe('the key');
});

describe('writing', () => {
  test('makes the directory, and a file that only its owner can read', async () => {
    const path = join(directory, 'a', 'b', 'config');
    await writeKubeconfig(path, text);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(directory, 'a', 'b'))).toEqual(['config']);
  });

  test('replaces one of ours, and tightens its mode', async () => {
    const path = join(directory, 'config');
    await writeKubeconfig(path, text);
    chmodSync(path, 0o644);
    await writeKubeconfig(path, `${text}# newer\n`);
    expect(readFileSync(path, 'utf8')).toBe(`${text}# newer\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['the kubeconfig of another cluster', 'apiVersion: v1\nkind: Config\nclusters: []\n'],
    ['one that merely calls its cluster holdfast', 'clusters:\n- name: holdfast\n'],
    ['an empty file', ''],
  ])('leaves %s alone', async (_, foreign) => {
    const path = join(directory, 'config');
    writeFileSync(path, foreign);
    await expect(writeKubeconfig(path, text)).rejects.toThrow(
      `${path} exists and was not written by holdfast: choose another path, or move it away`,
    );
    expect(readFileSync(path, 'utf8')).toBe(foreign);
    expect(readdirSync(directory)).toEqual(['config']);
  });

  test('leaves a foreign file alone that a link leads to', async () => {
    const target = join(directory, 'target');
    writeFileSync(target, 'kind: Config\n');
    symlinkSync(target, join(directory, 'config'));
    await expect(writeKubeconfig(join(directory, 'config'), text)).rejects.toThrow('was not written by holdfast');
    expect(readFileSync(target, 'utf8')).toBe('kind: Config\n');
  });

  test('leaves nothing behind when it fails', async () => {
    const path = join(directory, 'config');
    mkdirSync(path);
    await expect(writeKubeconfig(path, text)).rejects.toThrow();
    expect(readdirSync(directory)).toEqual(['config']);
    expect(existsSync(join(path, 'config'))).toBe(false);
  });
});
