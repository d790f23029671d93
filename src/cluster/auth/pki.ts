import { webcrypto } from 'node:crypto';
import './reflect-metadata.ts';
import * as x509 from '@peculiar/x509';
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
  issueClient(user: string, groups: readonly string[]): Promise<KeyPair>;
}

export interface PkiOptions {
  /** Clients compare certificates with the time of the real world, so this is the real clock even where others are not. */
  readonly clock: Clock;
  readonly random?: Random;
}

const serverNames: x509.JsonGeneralNames = [
  { type: 'dns', value: 'localhost' },
  { type: 'dns', value: 'kubernetes' },
  { type: 'dns', value: 'kubernetes.default' },
  { type: 'dns', value: 'kubernetes.default.svc' },
  { type: 'dns', value: 'kubernetes.default.svc.cluster.local' },
  { type: 'ip', value: '127.0.0.1' },
  { type: 'ip', value: '::1' },
  { type: 'ip', value: '10.96.0.1' },
];

const day = 24 * 60 * 60 * 1000;
const caLifetimeMs = 3650 * day;
const leafLifetimeMs = 365 * day;
/** Other machines' clocks may be behind ours. */
const skewMs = 60 * 60 * 1000;
/** A server certificate that ends sooner is replaced on restart. */
const renewBeforeMs = 30 * day;

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

interface Authority {
  readonly certificate: x509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
  readonly options: PkiOptions;
}

export async function createPki(options: PkiOptions): Promise<Pki> {
  const [caKeys, serviceAccountKeys] = await Promise.all([generateKeys(), generateKeys()]);
  const certificate = await selfSigned(caKeys, options);
  const authority: Authority = { certificate, key: caKeys.privateKey, options };
  const server = await issueServer(authority);
  return pkiOf(authority, {
    caCertificate: certificate.toString('pem'),
    caKey: await keyPem(caKeys.privateKey),
    serverCertificate: server.certificate,
    serverKey: server.key,
    serviceAccountKey: await keyPem(serviceAccountKeys.privateKey),
  });
}

/** Takes up what was kept. The server's certificate is new where the old one is about to end: keep `material` again. */
export async function restorePki(material: PkiMaterial, options: PkiOptions): Promise<Pki> {
  const authority: Authority = {
    certificate: new x509.X509Certificate(material.caCertificate),
    key: await importKey(material.caKey),
    options,
  };
  const ends = new x509.X509Certificate(material.serverCertificate).notAfter.getTime();
  if (ends - options.clock.now() > renewBeforeMs) return pkiOf(authority, material);
  const server = await issueServer(authority);
  return pkiOf(authority, { ...material, serverCertificate: server.certificate, serverKey: server.key });
}

function pkiOf(authority: Authority, material: PkiMaterial): Pki {
  return { material, issueClient: (user, groups) => issueClient(authority, user, groups) };
}

function issueServer(authority: Authority): Promise<KeyPair> {
  return issue(authority, nameOf('kube-apiserver', []), [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(serverNames),
  ]);
}

function issueClient(authority: Authority, user: string, groups: readonly string[]): Promise<KeyPair> {
  return issue(authority, nameOf(user, groups), [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
  ]);
}

async function selfSigned(keys: webcrypto.CryptoKeyPair, options: PkiOptions): Promise<x509.X509Certificate> {
  const subject = nameOf('holdfast-ca', []);
  return x509.X509CertificateGenerator.create({
    ...validity(options, caLifetimeMs),
    subject,
    issuer: subject,
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
}

async function issue(authority: Authority, subject: x509.Name, extra: x509.Extension[]): Promise<KeyPair> {
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(authority.options, leafLifetimeMs),
    subject,
    issuer: authority.certificate.subjectName,
    publicKey: keys.publicKey,
    signingKey: authority.key,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(authority.certificate),
      ...extra,
    ],
  });
  return { certificate: certificate.toString('pem'), key: await keyPem(keys.privateKey) };
}

function validity({ clock, random = systemRandom }: PkiOptions, lifetimeMs: number) {
  return {
    serialNumber: serialNumber(random),
    notBefore: new Date(clock.now() - skewMs),
    notAfter: new Date(clock.now() + lifetimeMs),
    signingAlgorithm: keyAlgorithm,
  };
}

/** Sixteen bytes; the first is never zero and never has its highest bit set, so that the number is positive and full. */
function serialNumber(random: Random): string {
  const bytes = Array.from({ length: 16 }, () => Math.floor(random.next() * 256));
  bytes[0] = 1 + Math.floor(random.next() * 127);
  return Buffer.from(bytes).toString('hex');
}

/** Spelled out as strings: a user may be called `#1` or `a=b`, which the short form would read as something else. */
function nameOf(commonName: string, organizations: readonly string[]): x509.Name {
  return new x509.Name([
    ...organizations.map((organization) => ({ O: [{ utf8String: organization }] })),
    { CN: [{ utf8String: commonName }] },
  ]);
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const [der] = x509.PemConverter.decode(pem);
  if (!der) throw new Error('no private key in the PEM text');
  return webcrypto.subtle.importKey('pkcs8', der, keyAlgorithm, true, ['sign']);
}
