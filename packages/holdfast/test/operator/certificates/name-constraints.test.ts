import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { certificatePem } from '../../../../base/src/certificates/certificate.ts';
import { webhookNames } from '../../../src/operator/certificates/names.ts';
import { defaultCertificatePolicy as policy } from '../../../src/trust/certificate-policy.ts';
import {
  createAuthority,
  isLimitedTo,
  issueLeaf,
  type KeyPair,
  type MaterialOptions,
  type ServerNames,
} from '../../../src/trust/material.ts';
import { formerAuthority } from './former-authority.ts';

const options: MaterialOptions = { nowMs: Date.now(), policy, randomBytes };
const service = webhookNames('holdfast-system', undefined);
const byAddress = webhookNames('holdfast-system', 'https://192.0.2.7:9443');
const byAddress6 = webhookNames('holdfast-system', 'https://[fd00::7]:9443');
const byHost = webhookNames('holdfast-system', 'https://holdfast.example.com');

const directory = mkdtempSync(join(tmpdir(), 'holdfast-constraints-'));
afterAll(() => rmSync(directory, { recursive: true }));

const dns = (...dnsNames: string[]): ServerNames => ({ dnsNames, addresses: [] });
const address = (...addresses: string[]): ServerNames => ({ dnsNames: [], addresses });

/** Undefined: Node's TLS is content with a server that shows this leaf. Names are left to the chain: it is what limits them. */
async function refusal(leaf: KeyPair, authority: KeyPair): Promise<string | undefined> {
  const server = createServer({ cert: leaf.certificate, key: leaf.key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const checkServerIdentity = () => undefined;
  const socket = connect({ port, host: '127.0.0.1', ca: authority.certificate, checkServerIdentity });
  try {
    return await outcomeOf(socket);
  } finally {
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

function outcomeOf(socket: TLSSocket): Promise<string | undefined> {
  return new Promise((resolve) => {
    socket.on('secureConnect', () => resolve(undefined)).on('error', (error) => resolve(error.message));
  });
}

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('openssl is not on the PATH: the limits of authorities are not checked by it\n');
    return false;
  }
}

/** What openssl prints of a leaf, at its strictest. */
function judgedByOpenssl(leaf: KeyPair, authority: KeyPair, purpose: 'sslserver' | 'sslclient'): string {
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const trust = ['-CAfile', file('ca.pem', authority.certificate), file('leaf.pem', leaf.certificate)];
  try {
    return execFileSync('openssl', ['verify', '-x509_strict', '-purpose', purpose, ...trust], {
      stdio: 'pipe',
    }).toString();
  } catch (error) {
    return String((error as { stderr: Buffer }).stderr);
  }
}

describe('[I13] the authority of the webhooks', () => {
  it.each<readonly [string, ServerNames, ServerNames]>([
    ['the Service', service, service],
    ['an address', byAddress, byAddress],
    ['an address of version 6', byAddress6, byAddress6],
    ['a host', byHost, byHost],
    ['some of its names', byHost, dns('holdfast.example.com')],
  ])('vouches for a server that is called by %s', async (_name, only, names) => {
    const authority = createAuthority(only, options);
    const leaf = issueLeaf(authority, names, options);
    expect(await refusal(leaf, authority)).toBeUndefined();
    if (hasOpenssl()) expect(judgedByOpenssl(leaf, authority, 'sslserver')).toMatch(/: OK/);
  });

  it.each<readonly [string, ServerNames, ServerNames]>([
    ['another Service', service, dns('kubernetes.default.svc')],
    ['another Service of its namespace', service, dns('metrics.holdfast-system.svc')],
    ['a name besides its own', service, dns('holdfast.holdfast-system.svc', 'kubernetes.default.svc')],
    ['any address, where it is called by a Service', service, address('10.96.0.1')],
    ['any address of version 6, where it is called by a Service', service, address('fd00::1')],
    ['another address', byAddress, address('192.0.2.8')],
    ['an address of the other version', byAddress, address('fd00::1')],
    ['another host', byHost, dns('example.com')],
  ])('does not vouch for %s', async (_name, only, names) => {
    const authority = createAuthority(only, options);
    const leaf = issueLeaf(authority, names, options);
    expect(await refusal(leaf, authority)).toMatch(/permitted subtree violation|excluded subtree violation/);
    if (hasOpenssl()) expect(judgedByOpenssl(leaf, authority, 'sslserver')).toMatch(/subtree violation/);
    // Those of earlier versions did.
    const former = formerAuthority(options);
    expect(await refusal(issueLeaf(former, names, options), former)).toBeUndefined();
  });

  it.skipIf(!hasOpenssl())('does not vouch for clients, nor for authorities below it', () => {
    const authority = createAuthority(service, options);
    const leaf = issueLeaf(authority, service, options);
    expect(judgedByOpenssl(signed(authority, 'client'), authority, 'sslclient')).toMatch(
      /unsuitable certificate purpose/,
    );
    const below = signed(authority, 'authority');
    const chain = { ...authority, certificate: authority.certificate + below.certificate };
    expect(judgedByOpenssl(issueLeaf(below, service, options), chain, 'sslserver')).toMatch(/path length/);
    expect(judgedByOpenssl(leaf, authority, 'sslserver')).toMatch(/: OK/);
  });

  it('is known by its limits: those of other names, and those of earlier versions, are not taken for it', () => {
    const certificate = new X509Certificate(createAuthority(service, options).certificate);
    expect(isLimitedTo(certificate, service)).toBe(true);
    for (const other of [byAddress, byHost, dns(...service.dnsNames.slice(1))]) {
      expect(isLimitedTo(certificate, other)).toBe(false);
    }
    expect(isLimitedTo(new X509Certificate(formerAuthority(options).certificate), service)).toBe(false);
  });
});

/** What a thief of the key would sign with it. */
function signed(authority: KeyPair, kind: 'client' | 'authority'): KeyPair {
  const key = createPrivateKey(authority.key);
  const own = issueLeaf(authority, service, options);
  const ownKey = createPrivateKey(own.key);
  const issuer = /CN=(.*)/.exec(new X509Certificate(authority.certificate).subject)?.[1] ?? '';
  const certificate = certificatePem({
    serial: randomBytes(16),
    subject: { commonName: 'thief', organizations: [] },
    publicKey: createPublicKey(ownKey),
    issuer: { commonName: issuer, organizations: [] },
    issuerKey: key,
    issuerPublicKey: createPublicKey(key),
    notBeforeMs: options.nowMs,
    notAfterMs: options.nowMs + policy.leafLifetimeMs,
    use: { kind },
  });
  return { certificate, key: own.key };
}
