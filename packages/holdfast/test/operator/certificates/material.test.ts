import { execFileSync } from 'node:child_process';
import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nothingSeen, observeBundles } from '../../../src/operator/certificates/observe.ts';
import { secretOf, secretTexts } from '../../../src/operator/certificates/secret.ts';
import { afterStep, caBundleOf } from '../../../src/trust/apply-step.ts';
import { defaultCertificatePolicy as policy } from '../../../src/trust/certificate-policy.ts';
import {
  createAuthority,
  issueLeaf,
  type KeyPair,
  type MaterialOptions,
  type ServerNames,
  serviceNames,
  urlNames,
} from '../../../src/trust/material.ts';
import { type ReadSecret, readBundle, readSecret, type SecretTexts } from '../../../src/trust/read-certificates.ts';
import { planCertificates } from '../../../src/trust/rotation-plan.ts';
import { bundlesOf, withTrust } from '../../../src/trust/webhook-trust.ts';

const names = serviceNames('holdfast', 'holdfast-system');
const options: MaterialOptions = { nowMs: Date.now(), policy, randomBytes };
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-certificates-'));
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

function fresh(): { readonly authority: KeyPair; readonly leaf: KeyPair; readonly texts: SecretTexts } {
  const authority = createAuthority(names, options);
  const leaf = issueLeaf(authority, names, options);
  const texts = new Map([
    ['ca.crt', authority.certificate],
    ['ca.key', authority.key],
    ['tls.crt', leaf.certificate],
    ['tls.key', leaf.key],
  ]);
  return { authority, leaf, texts };
}

/** Resolves if a client that trusts this bundle is content with the server. */
async function handshake(leaf: KeyPair, bundle: string, servername: string): Promise<void> {
  const server = createServer({ cert: leaf.certificate, key: leaf.key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const socket = connect({ port, host: '127.0.0.1', ca: bundle, servername });
  try {
    await new Promise((resolve, reject) => socket.on('secureConnect', resolve).on('error', reject));
  } finally {
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('certificates that we make', () => {
  it('name the Service as API servers call it, or the host of a URL', () => {
    expect(names.dnsNames).toEqual(['holdfast.holdfast-system.svc', 'holdfast.holdfast-system.svc.cluster.local']);
    expect(urlNames('https://127.0.0.1:9443')).toEqual({ dnsNames: [], addresses: ['127.0.0.1'] });
    expect(urlNames('https://[fd00::7]:9443/x')).toEqual({ dnsNames: [], addresses: ['fd00::7'] });
    expect(urlNames('https://holdfast.example.com')).toEqual({ dnsNames: ['holdfast.example.com'], addresses: [] });
  });

  it('are taken by a TLS client that trusts the new authority and the old one', async () => {
    const { leaf, authority } = fresh();
    const other = createAuthority(names, options);
    for (const bundle of [authority.certificate + other.certificate, other.certificate + authority.certificate]) {
      await expect(handshake(leaf, bundle, 'holdfast.holdfast-system.svc')).resolves.toBeUndefined();
    }
    await expect(handshake(leaf, other.certificate, 'holdfast.holdfast-system.svc')).rejects.toThrow(/verify|issuer/);
    await expect(handshake(leaf, authority.certificate, 'other.holdfast-system.svc')).rejects.toThrow(/altnames/);
  });

  it.skipIf(!hasOpenssl())('are taken by openssl at its strictest', () => {
    const { leaf, authority } = fresh();
    const file = (name: string, text: string) => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    const bundle = file('bundle.pem', createAuthority(names, options).certificate + authority.certificate);
    const args = [
      'verify',
      '-x509_strict',
      '-purpose',
      'sslserver',
      '-verify_hostname',
      'holdfast.holdfast-system.svc',
    ];
    const output = execFileSync('openssl', [...args, '-CAfile', bundle, file('leaf.pem', leaf.certificate)]);
    expect(output.toString()).toMatch(/leaf\.pem: OK/);
  });

  it('never outlive what signed them', () => {
    const authority = createAuthority(names, options);
    const late = { ...options, nowMs: options.nowMs + policy.authorityLifetimeMs - 1_000_000 };
    const ends = (pem: string) => new X509Certificate(pem).validTo;
    expect(ends(issueLeaf(authority, names, late).certificate)).toBe(ends(authority.certificate));
  });
});

describe('reading the Secret', () => {
  it('finds who signs, who is trusted, and what is served', () => {
    const { texts, authority, leaf } = fresh();
    const read = readSecret(texts, names);
    expect(read).toMatchObject({ problems: [], signer: authority, leaf });
    expect(read.stored.leaf).toMatchObject({ issuer: read.stored.signer, covers: true });
    expect(read.stored.trusted).toHaveLength(1);
    expect(read.stored.leaf?.notAfterMs).toBe(Math.floor((options.nowMs + policy.leafLifetimeMs) / 1000) * 1000);
  });

  const other = fresh();
  it.each<readonly [string, string | undefined, RegExp | undefined, Partial<Record<'signer' | 'leaf', undefined>>]>([
    ['ca.crt', 'nonsense', /ca\.crt: holds no certificate/, { signer: undefined }],
    [
      'ca.crt',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      /ca\.crt: certificate 1 is not a certificate/,
      { signer: undefined },
    ],
    ['ca.crt', other.leaf.certificate, /ca\.crt: certificate 1 is not an authority/, { signer: undefined }],
    ['ca.crt', 'x'.repeat(100_000), /ca\.crt: is longer than 65536 characters/, { signer: undefined }],
    ['ca.crt', undefined, /ca\.key: is the key of no authority here/, { signer: undefined }],
    ['ca.key', 'nonsense', /ca\.key: is not a private key/, { signer: undefined }],
    ['ca.key', other.authority.key, /ca\.key: is the key of no authority here/, { signer: undefined }],
    ['ca.key', undefined, undefined, { signer: undefined }],
    ['tls.crt', 'nonsense', /tls\.crt: is not a certificate/, { leaf: undefined }],
    ['tls.crt', other.leaf.certificate, /tls\.key: is not the key of tls\.crt/, { leaf: undefined }],
    ['tls.key', 'nonsense', /tls\.key: is not a private key/, { leaf: undefined }],
    ['tls.key', undefined, /tls\.key: is not a private key/, { leaf: undefined }],
  ])('%s being %.20s is told and left out', (key, text, problem, expected) => {
    const texts = new Map(fresh().texts);
    if (text === undefined) texts.delete(key);
    else texts.set(key, text);
    const read = readSecret(texts, names);
    expect(read).toMatchObject(expected);
    if (problem === undefined) expect(read.problems).toEqual([]);
    else expect(read.problems.join('\n')).toMatch(problem);
  });

  it('sees that a leaf is of a foreign authority, or has other names', () => {
    const { texts } = fresh();
    const stranger = new Map(texts).set('tls.crt', other.leaf.certificate).set('tls.key', other.leaf.key);
    expect(readSecret(stranger, names).stored.leaf?.issuer).toBeUndefined();
    const renamed: ServerNames = { dnsNames: [...names.dnsNames, 'more.example.com'], addresses: [] };
    expect(readSecret(texts, renamed).stored.leaf?.covers).toBe(false);
    expect(readSecret(texts, { dnsNames: [], addresses: ['127.0.0.1'] }).stored.leaf?.covers).toBe(false);
  });
});

describe('the Secret', () => {
  const place = { namespace: 'holdfast-system', name: 'certificates' };

  it('gives back what was put into it', () => {
    const { texts } = fresh();
    const secret = secretOf(place, texts);
    expect(secret).toMatchObject({ kind: 'Secret', type: 'Opaque', metadata: place });
    expect(secretTexts(secret.data)).toEqual(texts);
  });

  it('replaces the one that was read, and keeps what others wrote to it', () => {
    const before = { ...secretOf(place, new Map()), metadata: { ...place, resourceVersion: '7', labels: { a: 'b' } } };
    expect(secretOf(place, fresh().texts, before).metadata).toEqual(before.metadata);
  });

  it.each([[undefined], [null], ['x'], [[]], [{ 'ca.crt': 5 }], [{ other: 'eA==' }]])('%j holds nothing', (data) => {
    expect(secretTexts(data).size).toBe(0);
  });

  it('with nonsense is told and replaced by a new authority', () => {
    const read = readSecret(
      secretTexts({ 'ca.crt': '%%%', 'ca.key': 'eA==', 'tls.crt': 'AAAA', 'tls.key': '' }),
      names,
    );
    expect(read.problems).toHaveLength(2);
    expect(planCertificates(read.stored, nothingSeen, options.nowMs, policy).step).toMatchObject({
      kind: 'addAuthority',
      withLeaf: true,
    });
  });
});

describe('the bundle of a webhook configuration', () => {
  const { stored } = readSecret(fresh().texts, names);
  const configuration = {
    metadata: { name: 'holdfast' },
    webhooks: [
      { name: 'a', clientConfig: { url: 'https://x' } },
      { name: 'b', clientConfig: { caBundle: 'eA==' } },
    ],
  };

  it('is put into every webhook, and nothing else changes', () => {
    const caBundle = caBundleOf(stored.trusted);
    const after = withTrust(configuration, { authorities: stored.trusted, segment: undefined });
    expect(after).toEqual({
      metadata: { name: 'holdfast' },
      webhooks: [
        { name: 'a', clientConfig: { url: 'https://x', caBundle } },
        { name: 'b', clientConfig: { caBundle } },
      ],
    });
    expect(after && withTrust(after, { authorities: stored.trusted, segment: undefined })).toBeUndefined();
    expect(after && bundlesOf(after)).toEqual([stored.trusted, stored.trusted]);
  });

  it('counts as seen everywhere only when every webhook has it', () => {
    const half = { webhooks: [{ clientConfig: { caBundle: caBundleOf(stored.trusted) } }, { clientConfig: {} }] };
    const seen = observeBundles(nothingSeen, bundlesOf(half), 'leaf', 5);
    expect(seen).toMatchObject({ anywhere: stored.trusted, leafSinceMs: 5 });
    expect(seen.everywhere.size).toBe(0);
    const whole = observeBundles(
      seen,
      bundlesOf(withTrust(half, { authorities: stored.trusted, segment: undefined }) ?? half),
      'leaf',
      9,
    );
    expect([...whole.everywhere]).toEqual([[stored.signer, 9]]);
    expect(whole.leafSinceMs).toBe(5);
    expect(observeBundles(whole, [stored.trusted], 'other', 12)).toMatchObject({ leafSinceMs: 12 });
    expect([...observeBundles(whole, [stored.trusted], 'leaf', 12).everywhere.values()]).toEqual([9]);
  });
});

describe('a rotation with real certificates', () => {
  it('goes from nothing to a second authority, and what is served is trusted all along', async () => {
    let texts: SecretTexts | undefined;
    let bundle = '';
    let nowMs = options.nowMs;
    let seen = nothingSeen;
    const steps: string[] = [];
    const turn = () => {
      const secret: ReadSecret | undefined = texts && readSecret(texts, names);
      seen = observeBundles(seen, [readBundle(bundle)], secret?.stored.leaf?.id, nowMs);
      const plan = planCertificates(secret?.stored, seen, nowMs, policy);
      if (plan.bundle) bundle = Buffer.from(caBundleOf(plan.bundle), 'base64').toString();
      texts = afterStep(plan.step, secret, names, { ...options, nowMs }) ?? texts;
      if (plan.step.kind !== 'keep') steps.push(plan.step.kind);
      nowMs = Math.max(nowMs, Math.min(plan.againMs, nowMs + policy.confirmWithinMs));
    };
    for (let round = 0; round < 3; round += 1) turn();
    expect(steps).toEqual(['addAuthority']);
    nowMs += policy.authorityLifetimeMs - policy.authorityRenewBeforeMs;
    for (let round = 0; round < 12; round += 1) {
      turn();
      const { stored } = readSecret(texts ?? new Map(), names);
      expect(readBundle(bundle).map(({ id }) => id)).toContain(stored.leaf?.issuer);
    }
    expect(steps).toEqual(['addAuthority', 'addAuthority', 'issueLeaf', 'dropAuthorities']);
    expect(readBundle(bundle)).toHaveLength(1);
  });
});
