import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificateUser } from '../../src/auth/authenticate.ts';
import { createPki, type KeyPair, type Pki, restorePki } from '../../src/auth/pki.ts';
import type { User } from '../../src/auth/user.ts';
import { realClock } from '../../src/time/clock.ts';
import { seededRandom } from '../../src/time/random.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';

let pki: Pki;
let directory: string;

beforeAll(async () => {
  pki = createPki({ clock: realClock });
  directory = mkdtempSync(join(tmpdir(), 'holdfast-pki-'));
});

afterAll(() => rmSync(directory, { recursive: true }));

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('openssl is not on the PATH: the certificates are not checked by it\n');
    return false;
  }
}

/** A server as the API server is: certificates are asked for and checked, but not demanded. */
async function userSeenBy(server: Pki, client: Partial<KeyPair>): Promise<User | undefined> {
  const { caCertificate, serverCertificate, serverKey } = server.material;
  const listener = createServer({
    cert: serverCertificate,
    key: serverKey,
    ca: caCertificate,
    requestCert: true,
    rejectUnauthorized: false,
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const seen = new Promise<TLSSocket>((resolve) => listener.on('secureConnection', resolve));
  const { port } = listener.address() as { port: number };
  const identity = client.certificate ? { cert: client.certificate, key: client.key } : {};
  const socket = connect({ port, host: '127.0.0.1', ca: caCertificate, ...identity });
  try {
    await new Promise((resolve, reject) => socket.on('secureConnect', resolve).on('error', reject));
    return certificateUser(await seen);
  } finally {
    socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  }
}

describe('certificates', () => {
  test.skipIf(!hasOpenssl())('openssl accepts the server and a client at its strictest', async () => {
    const client = pki.issueClient('jane', ['a', 'b']);
    const files = {
      ca: pki.material.caCertificate,
      server: pki.material.serverCertificate,
      client: client.certificate,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, `${name}.pem`), text);
    const verify = (purpose: string, file: string) =>
      execFileSync('openssl', ['verify', '-x509_strict', '-purpose', purpose, '-CAfile', 'ca.pem', `${file}.pem`], {
        cwd: directory,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    expect(verify('sslserver', 'server')).toBe('server.pem: OK\n');
    expect(verify('sslclient', 'client')).toBe('client.pem: OK\n');
    expect(() => verify('sslclient', 'server')).toThrow();
  });

  test('the server answers to every name and address of the cluster', () => {
    const certificate = new X509Certificate(pki.material.serverCertificate);
    for (const name of ['localhost', 'kubernetes', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']) {
      expect(certificate.checkHost(name)).toBe(name);
    }
    for (const ip of ['127.0.0.1', '::1', '10.96.0.1']) expect(certificate.checkIP(ip)).toBe(ip);
    expect(certificate.checkHost('example.com')).toBeUndefined();
  });

  test('validity starts an hour early and ends after a year', async () => {
    const clock = new VirtualClock(Date.UTC(2030, 5, 1));
    const { material } = createPki({ clock, random: seededRandom(1) });
    const server = new X509Certificate(material.serverCertificate);
    expect(Date.parse(server.validFrom)).toBe(Date.UTC(2030, 4, 31, 23));
    expect(Date.parse(server.validTo)).toBe(Date.UTC(2031, 5, 1));
    expect(Date.parse(new X509Certificate(material.caCertificate).validTo)).toBe(Date.UTC(2030, 5, 1) + 3650 * 864e5);
  });
});

describe('over a real connection', () => {
  test.each([
    ['jane', ['system:masters']],
    ['system:node:a', ['system:nodes', 'x']],
    ['#1, "O=system:masters" + é', ['a,b=c', '#00']],
    ['any-client', []],
  ])('the server sees %j in the groups %j', async (name, groups) => {
    const seen = await userSeenBy(pki, pki.issueClient(name, groups));
    expect(seen).toEqual({
      name,
      groups,
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)] },
    });
  });

  test('there is no user without a certificate', async () => {
    expect(await userSeenBy(pki, {})).toBeUndefined();
  });

  test('a certificate of another authority is no user', async () => {
    const other = createPki({ clock: realClock });
    expect(await userSeenBy(pki, other.issueClient('jane', ['system:masters']))).toBeUndefined();
  });

  test('the certificate of a server is no user', async () => {
    const { serverCertificate: certificate, serverKey: key } = pki.material;
    expect(await userSeenBy(pki, { certificate, key })).toBeUndefined();
  });

  test.each([
    ['that is gone', null],
    ['that was resumed without a certificate', {}],
    ['with a certificate without a name', { subject: {}, fingerprint256: 'AA' }],
  ])('a connection %s is no user', (_, peer) => {
    const socket = { authorized: true, getPeerCertificate: () => peer } as unknown as TLSSocket;
    expect(certificateUser(socket)).toBeUndefined();
  });

  test('an expired certificate is no user', async () => {
    const past = restorePki(pki.material, { clock: new VirtualClock(realClock.now() - 366 * 864e5) });
    expect(await userSeenBy(pki, past.issueClient('jane', []))).toBeUndefined();
  });
});

describe('after a restart', () => {
  test('kept material still issues certificates that clients and servers of before accept', async () => {
    const kept = JSON.parse(JSON.stringify(pki.material));
    const restored = restorePki(kept, { clock: realClock });
    expect(restored.material).toEqual(pki.material);
    expect((await userSeenBy(pki, restored.issueClient('jane', ['a'])))?.name).toBe('jane');
  });

  test('a server certificate that is about to end is replaced, and nothing else', async () => {
    const clock = new VirtualClock(realClock.now() + 340 * 864e5);
    const { material } = restorePki(pki.material, { clock });
    expect({ ...material, serverCertificate: '', serverKey: '' }).toEqual({
      ...pki.material,
      serverCertificate: '',
      serverKey: '',
    });
    expect(Date.parse(new X509Certificate(material.serverCertificate).validTo)).toBeGreaterThan(
      clock.now() + 300 * 864e5,
    );
  });
});
