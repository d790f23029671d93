import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { accessOf, mergeKubeconfigs, parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { loadAccess } from '../../../src/kube/config/load.ts';

const full = `
apiVersion: v1
kind: Config
current-context: one
contexts:
- name: one
  context: {cluster: c, user: u, namespace: shop}
- name: two
  context: {cluster: plain, user: ''}
clusters:
- name: c
  cluster:
    server: https://10.0.0.1:6443
    certificate-authority-data: ${Buffer.from('CA').toString('base64')}
    tls-server-name: kubernetes
- name: plain
  cluster: {server: 'http://127.0.0.1:8001', insecure-skip-tls-verify: true}
users:
- name: u
  user:
    client-certificate: certs/me.crt
    client-key: /abs/me.key
    token: secret
    as: alice
    as-groups: [dev]
`;

const directories: string[] = [];
function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdfast-kube-'));
  directories.push(made);
  return made;
}
afterEach(() => {
  for (const made of directories.splice(0)) rmSync(made, { recursive: true });
});

describe('a kubeconfig', () => {
  test('says where and who', () => {
    const access = accessOf(parseKubeconfig(full, '/home/me/.kube'));
    expect(access).toMatchObject({
      serverName: 'kubernetes',
      verify: true,
      ca: { kind: 'inline', text: 'CA' },
      namespace: 'shop',
      user: {
        certificate: { kind: 'file', path: '/home/me/.kube/certs/me.crt' },
        key: { kind: 'file', path: '/abs/me.key' },
        token: { kind: 'inline', text: 'secret' },
        impersonate: { user: 'alice', groups: ['dev'] },
        exec: undefined,
      },
    });
    expect(access.server.href).toBe('https://10.0.0.1:6443/');
  });

  test('has other contexts', () => {
    const access = accessOf(parseKubeconfig(full, '/'), 'two');
    expect(access).toMatchObject({ verify: false, namespace: 'default', ca: undefined, user: { token: undefined } });
  });

  test('prefers a token file to a token, which others may rotate', () => {
    const text = full.replace('token: secret', 'token: secret\n    tokenFile: t');
    expect(accessOf(parseKubeconfig(text, '/d')).user.token).toEqual({ kind: 'file', path: '/d/t' });
  });

  test('describes a plugin', () => {
    const exec =
      'exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, args: [a], env: [{name: X, value: why}], provideClusterInfo: true, installHint: get it}';
    expect(accessOf(parseKubeconfig(full.replace('token: secret', exec), '/d')).user.exec).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/d/login',
      args: ['a'],
      env: { X: 'why' },
      provideClusterInfo: true,
      installHint: 'get it',
    });
  });

  test.each([
    ['a SOCKS proxy', 'tls-server-name: kubernetes', 'proxy-url: socks5://proxy', /socks5 proxy/],
    ['an old login', 'token: secret', 'auth-provider: {name: gcp}', /exec plugin/],
    [
      'a plugin of an old kind',
      'token: secret',
      'exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}',
      /v1alpha1/,
    ],
    [
      'a plugin that must ask',
      'token: secret',
      'exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Always}',
      /needs a terminal/,
    ],
    ['a plugin without a command', 'token: secret', 'exec: {apiVersion: client.authentication.k8s.io/v1}', /command/],
    ['a contradiction', 'tls-server-name: kubernetes', 'insecure-skip-tls-verify: true', /exclude each other/],
    ['a context that is not there', 'current-context: one', 'current-context: none', /context "none"/],
    ['no context', 'current-context: one', '', /no context/],
    ['a cluster that is not there', 'cluster: c,', 'cluster: d,', /cluster "d"/],
    ['a user that is not there', 'user: u,', 'user: v,', /user "v"/],
    ['an address that is none', 'https://10.0.0.1:6443', 'ftp://x', /not an http/],
    ['a number for a token', 'token: secret', 'token: 5', /token must be a string/],
    ['groups without a user', 'as: alice', 'username: x', /needs a user/],
    ['text that is no kubeconfig', full, '[]', /is an object/],
  ])('with %s is refused with a sentence', (_, part, instead, message) => {
    expect(() => accessOf(parseKubeconfig(full.replace(part, instead), '/'))).toThrow(message);
  });

  test('that is empty says nothing', () => {
    expect(parseKubeconfig('', '/').contexts.size).toBe(0);
    expect(parseKubeconfig('# nothing\n', '/').currentContext).toBeUndefined();
  });
});

describe('several kubeconfigs', () => {
  const first = parseKubeconfig(
    'users: [{name: u, user: {token: a}}]\nclusters: [{name: c, cluster: {server: "https://one"}}]',
    '/one',
  );
  const second = parseKubeconfig(
    'current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: b, tokenFile: t}}, {name: v, user: {tokenFile: t}}]',
    '/two',
  );

  test('are merged entry by entry, and the first wins whole', () => {
    const merged = mergeKubeconfigs([first, second]);
    const access = accessOf(merged);
    expect(access.user.token).toEqual({ kind: 'inline', text: 'a' });
    expect(access.server.href).toBe('https://one/');
    expect(merged.users.get('v')?.directory).toBe('/two');
  });

  test('are found as kubectl finds them', async () => {
    const home = directory();
    const one = join(home, 'one');
    const two = join(home, 'two');
    writeFileSync(one, 'clusters: [{name: c, cluster: {server: "https://one"}}]');
    writeFileSync(
      two,
      'current-context: x\ncontexts: [{name: x, context: {cluster: c}}, {name: other, context: {cluster: c, namespace: other}}]',
    );
    const env = { KUBECONFIG: `${one}:${join(home, 'missing')}:${two}:` };
    expect(await loadAccess({ env, home })).toMatchObject({ ok: true, value: { namespace: 'default' } });
    expect(await loadAccess({ env, home, context: 'other' })).toMatchObject({
      ok: true,
      value: { namespace: 'other' },
    });
    expect(await loadAccess({ env: {}, home })).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/no kubeconfig/),
    });
    mkdirSync(join(home, '.kube'));
    writeFileSync(join(home, '.kube', 'config'), full);
    expect(await loadAccess({ env: {}, home })).toMatchObject({ ok: true, value: { namespace: 'shop' } });
    expect(await loadAccess({ env, home, kubeconfig: join(home, 'none') })).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/does not exist/),
    });
  });

  test('that cannot be read are named', async () => {
    const home = directory();
    const path = join(home, 'bad');
    writeFileSync(path, 'a: b: c');
    expect(await loadAccess({ env: { KUBECONFIG: path }, home })).toMatchObject({
      ok: false,
      problem: expect.stringContaining(path),
    });
  });
});
