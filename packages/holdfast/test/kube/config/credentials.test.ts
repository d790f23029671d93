import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Access, ExecSettings, UserSettings } from '../../../src/kube/config/access.ts';
import { ExecPlugin, parseExecCredential } from '../../../src/kube/config/exec-plugin.ts';
import { inClusterAccess, isInCluster } from '../../../src/kube/config/in-cluster.ts';
import { loadAccess } from '../../../src/kube/config/load.ts';
import { targetOf } from '../../../src/kube/config/target-of.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { connect, json, status, syntheticServer } from '../support/server.ts';
import { TestClock } from '../support/test-clock.ts';

const directory = mkdtempSync(join(tmpdir(), 'holdfast-kube-'));
afterAll(() => rmSync(directory, { recursive: true }));

function fileWith(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const noUser: UserSettings = {
  certificate: undefined,
  key: undefined,
  token: undefined,
  basic: undefined,
  exec: undefined,
  impersonate: undefined,
};

function accessWith(user: Partial<UserSettings>, server = 'https://10.0.0.1'): Access {
  return {
    server: new URL(server),
    serverName: undefined,
    verify: true,
    ca: undefined,
    user: { ...noUser, ...user },
    namespace: 'n',
  };
}

const v1 = 'client.authentication.k8s.io/v1';

/** A plugin that counts its runs in a file, and says what it was told. */
function pluginPrinting(status: string, apiVersion: ExecSettings['apiVersion'] = v1): ExecSettings {
  const script = `
    const fs = require('node:fs');
    fs.appendFileSync(process.env.COUNT, 'x');
    const status = ${status};
    process.stdout.write(JSON.stringify({ apiVersion: '${apiVersion}', kind: 'ExecCredential', status }));`;
  const env = { COUNT: fileWith(`count-${Math.random()}`, '') };
  return {
    apiVersion,
    command: process.execPath,
    args: ['-e', script],
    env,
    provideClusterInfo: true,
    installHint: undefined,
  };
}

const cluster = { server: 'https://x', serverName: undefined, verify: true, ca: 'CA' };

describe('an identity', () => {
  test('of a token file follows the file', async () => {
    const clock = new TestClock();
    const path = fileWith('token', 'one\n');
    const target = targetOf(accessWith({ token: { kind: 'file', path } }), clock);
    const shown = async () => (await target.identity()).headers['authorization'];
    expect(await shown()).toBe('Bearer one');
    writeFileSync(path, 'two\n');
    expect(await shown()).toBe('Bearer one');
    await clock.advance(60_000);
    expect(await shown()).toBe('Bearer two');
    writeFileSync(path, 'three');
    expect(target.forget()).toBe(true);
    expect(await shown()).toBe('Bearer three');
    rmSync(path);
    await clock.advance(60_000);
    expect(await shown()).toBe('Bearer three');
  });

  test('of certificates, passwords and impersonation', async () => {
    const user: Partial<UserSettings> = {
      certificate: { kind: 'inline', text: 'CERT' },
      key: { kind: 'inline', text: 'KEY' },
      basic: { username: 'u', password: 'p' },
      impersonate: { user: 'alice', uid: '7', groups: ['a', 'b'], extra: { 'Scope/x': ['s'] } },
    };
    const target = targetOf(accessWith(user), new TestClock());
    expect(await target.identity()).toEqual({
      tls: { ca: undefined, certificate: 'CERT', key: 'KEY' },
      headers: {
        authorization: `Basic ${Buffer.from('u:p').toString('base64')}`,
        'impersonate-user': 'alice',
        'impersonate-uid': '7',
        'impersonate-group': ['a', 'b'],
        'impersonate-extra-scope%2Fx': ['s'],
      },
    });
    expect(target.forget()).toBe(false);
  });

  test('is not shown over plain HTTP', async () => {
    const target = targetOf(accessWith({ token: { kind: 'inline', text: 't' } }, 'http://10.0.0.1'), new TestClock());
    expect((await target.identity()).headers).toEqual({});
  });

  test.each(['', 'a\nb', 'ü'])('with a token that no header can carry is refused: %j', async (text) => {
    const target = targetOf(accessWith({ token: { kind: 'inline', text } }), new TestClock());
    await expect(target.identity()).rejects.toThrow(/token/);
  });
});

describe('a plugin', () => {
  test.each<ExecSettings['apiVersion']>([v1, 'client.authentication.k8s.io/v1beta1'])(
    'of %s is told the cluster, and gives a token',
    async (apiVersion) => {
      const plugin = new ExecPlugin(
        pluginPrinting('{ token: process.env.KUBERNETES_EXEC_INFO }', apiVersion),
        realClock,
      );
      const { token } = await plugin.credentials(cluster);
      expect(JSON.parse(token ?? '')).toEqual({
        apiVersion,
        kind: 'ExecCredential',
        spec: { interactive: false, cluster: { server: 'https://x', 'certificate-authority-data': 'Q0E=' } },
      });
    },
  );

  test('is asked once by many, again when its answer expires, and again when it is refused', async () => {
    const clock = new TestClock();
    const settings = pluginPrinting(
      `{ token: String(fs.readFileSync(process.env.COUNT).length), expirationTimestamp: '2026-01-01T01:00:00Z' }`,
    );
    const plugin = new ExecPlugin(settings, clock);
    const token = async () => (await plugin.credentials(cluster)).token;
    expect(await Promise.all([token(), token(), token()])).toEqual(['1', '1', '1']);
    await clock.advance(3_580_000);
    expect(await token()).toBe('1');
    plugin.forget();
    expect(await token()).toBe('2');
    await clock.advance(15_000);
    expect(await Promise.all([token(), token()])).toEqual(['3', '3']);
  });

  test('that fails says why, how to get it, and is asked again', async () => {
    const settings: ExecSettings = {
      ...pluginPrinting('{}'),
      args: ['-e', 'console.error("no login"); process.exit(3)'],
      installHint: 'install it',
    };
    const plugin = new ExecPlugin(settings, realClock);
    await expect(plugin.credentials(cluster)).rejects.toThrow(/no login\ninstall it/);
    await expect(plugin.credentials(cluster)).rejects.toThrow(/no login/);
    const missing = new ExecPlugin({ ...settings, command: '/does/not/exist' }, realClock);
    await expect(missing.credentials(cluster)).rejects.toThrow(/exec plugin \/does\/not\/exist/);
  });

  test('that takes too long is ended', async () => {
    const clock = new TestClock();
    const plugin = new ExecPlugin({ ...pluginPrinting('{}'), args: ['-e', 'setTimeout(() => {}, 100000)'] }, clock);
    const asked = expect(plugin.credentials(cluster)).rejects.toThrow(/took too long/);
    await clock.advance(60_000);
    await asked;
  });

  test.each([
    ['nothing', '', /not JSON/],
    ['something else', '{"kind":"Pod"}', /no ExecCredential/],
    [
      'another version',
      `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"}`,
      /was asked for/,
    ],
    ['no credentials', `{"kind":"ExecCredential","apiVersion":"${v1}","status":{}}`, /neither/],
    ['half a certificate', `{"kind":"ExecCredential","apiVersion":"${v1}","status":{"clientKeyData":"k"}}`, /only one/],
    [
      'no time',
      `{"kind":"ExecCredential","apiVersion":"${v1}","status":{"token":"t","expirationTimestamp":"soon"}}`,
      /not a time/,
    ],
  ])('that prints %s is refused', (_, text, message) => {
    expect(() => parseExecCredential(text, v1)).toThrow(message);
  });

  test('whose token the server no longer takes is asked again, within the same call', async () => {
    const server = await syntheticServer((request, response) => {
      if (request.headers.authorization === 'Bearer 2') json(response, 200, {});
      else json(response, 401, status(401, 'Unauthorized'));
    }, true);
    const exec = pluginPrinting('{ token: String(fs.readFileSync(process.env.COUNT).length) }');
    const access: Access = { ...accessWith({ exec }, server.url), ca: { kind: 'inline', text: server.caCertificate } };
    const connection = connect(targetOf(access, realClock));
    expect(await connection.exchange({ method: 'POST', path: '/x', body: '{}', deadlineMs: 20_000 })).toMatchObject({
      ok: true,
    });
    connection.close();
    await server.close();
  });
});

describe('in a pod', () => {
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };

  test('the service account is used, and its namespace', async () => {
    fileWith('namespace', 'holdfast\n');
    expect([isInCluster(env), isInCluster({})]).toEqual([true, false]);
    const access = await inClusterAccess(env, directory);
    expect(access).toMatchObject({
      verify: true,
      ca: { kind: 'file', path: join(directory, 'ca.crt') },
      user: { token: { kind: 'file', path: join(directory, 'token') } },
      namespace: 'holdfast',
    });
    expect(access.server.href).toBe('https://[fd00::1]/');
  });

  test('without a service account that is said', async () => {
    const answer = await loadAccess({ env: { ...env, KUBERNETES_SERVICE_HOST: '10.0.0.1' }, home: '/nowhere' });
    expect(answer).toMatchObject({ ok: false, problem: expect.stringMatching(/service account/) });
  });
});
