import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { certificatePem, type Name, type Use } from '@holdfast/base/certificates/certificate';
import type { Clock } from '../time/clock.ts';
import { type Random, systemRandom } from '../time/random.ts';

/** Everything that a cluster with a data directory keeps over restarts, as PEM text. The keys in it are secrets. */
export interface PkiMaterial {
  readonly caCertificate: string;
  readonly caKey: string;
  readonly serverCertificate: string;
  readonly serverKey: string;
  /** Signs the tokens of service accounts. */
  readonly serviceAccountKey: string;
}

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Pki {
  readonly material: PkiMaterial;
  /** A certificate by which its holder is this user in these groups. */
  issueClient(user: string, groups: readonly string[]): KeyPair;
}

export interface PkiOptions {
  /** Clients compare certificates with the time of the real world, so this is the real clock even where others are not. */
  readonly clock: Clock;
  readonly random?: Random;
}

const serverUse: Use = {
  kind: 'server',
  dnsNames: [
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ],
  addresses: ['127.0.0.1', '::1', '10.96.0.1'],
};

const authorityName: Name = { commonName: 'holdfast-ca', organizations: [] };

const day = 24 * 60 * 60 * 1000;
const caLifetimeMs = 3650 * day;
const leafLifetimeMs = 365 * day;
/** Other machines' clocks may be behind ours. */
const skewMs = 60 * 60 * 1000;
/** A server certificate that ends sooner is replaced on restart. */
const renewBeforeMs = 30 * day;

interface Authority {
  readonly certificate: string;
  readonly key: KeyObject;
  readonly options: PkiOptions;
}

export function createPki(options: PkiOptions): Pki {
  const { privateKey: key, publicKey } = newKeys();
  const certificate = certificatePem({
    ...validity(options, caLifetimeMs),
    subject: authorityName,
    publicKey,
    issuer: authorityName,
    issuerKey: key,
    issuerPublicKey: publicKey,
    use: { kind: 'authority' },
  });
  const authority: Authority = { certificate, key, options };
  const server = issueServer(authority);
  return pkiOf(authority, {
    caCertificate: certificate,
    caKey: keyPem(key),
    serverCertificate: server.certificate,
    serverKey: server.key,
    serviceAccountKey: keyPem(newKeys().privateKey),
  });
}

/** Takes up what was kept. The server's certificate is new where the old one is about to end: keep `material` again. */
export function restorePki(material: PkiMaterial, options: PkiOptions): Pki {
  const authority: Authority = { certificate: material.caCertificate, key: createPrivateKey(material.caKey), options };
  const ends = Date.parse(new X509Certificate(material.serverCertificate).validTo);
  if (ends - options.clock.now() > renewBeforeMs) return pkiOf(authority, material);
  const server = issueServer(authority);
  return pkiOf(authority, { ...material, serverCertificate: server.certificate, serverKey: server.key });
}

function pkiOf(authority: Authority, material: PkiMaterial): Pki {
  return {
    material,
    issueClient: (user, groups) => issue(authority, { commonName: user, organizations: groups }, { kind: 'client' }),
  };
}

function issueServer(authority: Authority): KeyPair {
  return issue(authority, { commonName: 'kube-apiserver', organizations: [] }, serverUse);
}

function issue(authority: Authority, subject: Name, use: Use): KeyPair {
  const { privateKey, publicKey } = newKeys();
  const certificate = certificatePem({
    ...validity(authority.options, leafLifetimeMs),
    subject,
    publicKey,
    issuer: authorityName,
    issuerKey: authority.key,
    issuerPublicKey: createPublicKey(authority.key),
    use,
  });
  return { certificate, key: keyPem(privateKey) };
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function validity({ clock, random = systemRandom }: PkiOptions, lifetimeMs: number) {
  return {
    serial: serialNumber(random),
    notBeforeMs: clock.now() - skewMs,
    notAfterMs: clock.now() + lifetimeMs,
  };
}

/** Sixteen bytes; the first is never zero and never has its highest bit set, so that the number is positive and full. */
function serialNumber(random: Random): Buffer {
  const bytes = Array.from({ length: 16 }, () => Math.floor(random.next() * 256));
  bytes[0] = 1 + Math.floor(random.next() * 127);
  return Buffer.from(bytes);
}
