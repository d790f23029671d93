import { webcrypto } from 'node:crypto';
import '../../../src/cluster/auth/reflect-metadata.ts';
import * as x509 from '@peculiar/x509';

/** Certificates for webhook servers that tests start. */

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const notBefore = new Date('2020-01-01T00:00:00Z');
const notAfter = new Date('2099-01-01T00:00:00Z');

export interface ServerCertificate {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export type Name = { readonly type: 'dns' | 'ip'; readonly value: string };

export async function serverCertificate(names: readonly Name[], end = notAfter): Promise<ServerCertificate> {
  const [caKeys, keys] = await Promise.all([generate(), generate()]);
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=test-ca',
    notBefore,
    notAfter,
    signingAlgorithm: algorithm,
    keys: caKeys,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: '02',
    subject: 'CN=webhook',
    issuer: ca.subject,
    notBefore,
    notAfter: end,
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [new x509.SubjectAlternativeNameExtension([...names])],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    ca: ca.toString('pem'),
    cert: certificate.toString('pem'),
    key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
  };
}

function generate(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}
