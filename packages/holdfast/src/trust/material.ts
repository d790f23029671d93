import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { authorityLimits, certificatePem, type HostNames, type Name } from '@holdfast/base/certificates/certificate';
import type { CertificatePolicy } from './certificate-policy.ts';

/** As PEM text. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** What the webhooks are called by. */
export type ServerNames = HostNames;

export interface MaterialOptions {
  readonly nowMs: number;
  readonly policy: CertificatePolicy;
  /** That many unpredictable bytes, for serial numbers. */
  readonly randomBytes: (size: number) => Buffer;
}

/** An API server calls a Service by `NAME.NAMESPACE.svc`; people call the longer name. */
export function serviceNames(service: string, namespace: string): ServerNames {
  const called = `${service}.${namespace}.svc`;
  return { dnsNames: [called, `${called}.cluster.local`], addresses: [] };
}

/** For webhooks that are called by URL, outside of the cluster. */
export function urlNames(url: string): ServerNames {
  const { hostname } = new URL(url);
  // A dot at the end is for name servers; certificates do without.
  const bare = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return isIP(bare) === 0 ? { dnsNames: [bare], addresses: [] } : { dnsNames: [], addresses: [bare] };
}

/** An authority whose key can vouch for servers of these names alone, also in the hands of a thief. */
export function createAuthority(names: ServerNames, { nowMs, policy, randomBytes }: MaterialOptions): KeyPair {
  const { privateKey, publicKey } = newKeys();
  const serial = serialNumber(randomBytes);
  // Two authorities are trusted at the same time for a while. Names of their own keep them apart for those who read them.
  const name: Name = { commonName: `holdfast-webhook-ca-${serial.toString('hex').slice(0, 8)}`, organizations: [] };
  const certificate = certificatePem({
    serial,
    subject: name,
    publicKey,
    issuer: name,
    issuerKey: privateKey,
    issuerPublicKey: publicKey,
    notBeforeMs: nowMs - policy.skewMs,
    notAfterMs: nowMs + policy.authorityLifetimeMs,
    use: { kind: 'authority', only: names },
  });
  return { certificate, key: keyPem(privateKey) };
}

/** Whether it can vouch for servers of exactly these names. One that was made before there were limits cannot. */
export function isLimitedTo(authority: X509Certificate, names: ServerNames): boolean {
  return authority.raw.includes(authorityLimits(names));
}

export function issueLeaf(authority: KeyPair, names: ServerNames, options: MaterialOptions): KeyPair {
  const { nowMs, policy, randomBytes } = options;
  const issuer = new X509Certificate(authority.certificate);
  const issuerKey = createPrivateKey(authority.key);
  const { privateKey, publicKey } = newKeys();
  const certificate = certificatePem({
    serial: serialNumber(randomBytes),
    subject: { commonName: 'holdfast-webhook', organizations: [] },
    publicKey,
    issuer: { commonName: commonNameOf(issuer), organizations: [] },
    issuerKey,
    issuerPublicKey: createPublicKey(issuerKey),
    notBeforeMs: Math.max(nowMs - policy.skewMs, Date.parse(issuer.validFrom)),
    notAfterMs: Math.min(nowMs + policy.leafLifetimeMs, Date.parse(issuer.validTo)),
    use: { kind: 'server', ...names },
  });
  return { certificate, key: keyPem(privateKey) };
}

function commonNameOf({ subject }: X509Certificate): string {
  return /(?:^|\n)CN=(.*)/.exec(subject)?.[1] ?? '';
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The first byte is never zero and never has its highest bit set, so that the number is positive and full. */
function serialNumber(randomBytes: (size: number) => Buffer): Buffer {
  const bytes = Buffer.from(randomBytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}
