import { generateKeyPairSync } from 'node:crypto';
import { certificatePem } from '../../../base/src/certificates/certificate.ts';

/** Certificates for webhook servers that tests start. */

const notBefore = Date.UTC(2020, 0, 1);
const notAfter = Date.UTC(2099, 0, 1);

export interface ServerCertificate {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export type Name = { readonly type: 'dns' | 'ip'; readonly value: string };

export async function serverCertificate(names: readonly Name[], end = new Date(notAfter)): Promise<ServerCertificate> {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = { commonName: 'test-ca', organizations: [] };
  const common = {
    issuer,
    issuerKey: authority.privateKey,
    issuerPublicKey: authority.publicKey,
    notBeforeMs: notBefore,
  };
  const valuesOf = (type: Name['type']) => names.filter((name) => name.type === type).map(({ value }) => value);
  return {
    ca: certificatePem({
      ...common,
      serial: Buffer.from([1]),
      subject: issuer,
      publicKey: authority.publicKey,
      notAfterMs: notAfter,
      use: { kind: 'authority' },
    }),
    cert: certificatePem({
      ...common,
      serial: Buffer.from([2]),
      subject: { commonName: 'webhook', organizations: [] },
      publicKey: server.publicKey,
      notAfterMs: end.getTime(),
      use: { kind: 'server', dnsNames: valuesOf('dns'), addresses: valuesOf('ip') },
    }),
    key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
