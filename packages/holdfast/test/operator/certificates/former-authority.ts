import { generateKeyPairSync } from 'node:crypto';
import { certificatePem } from '../../../../base/src/certificates/certificate.ts';
import type { KeyPair, MaterialOptions } from '../../../src/trust/material.ts';

/** An authority as version 0.1 made them: it may sign anything. */
export function formerAuthority({ nowMs, policy, randomBytes }: MaterialOptions): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = { commonName: 'holdfast-webhook-ca-former', organizations: [] };
  const certificate = certificatePem({
    serial: Buffer.concat([Buffer.from([0x40]), randomBytes(15)]),
    subject: name,
    publicKey,
    issuer: name,
    issuerKey: privateKey,
    issuerPublicKey: publicKey,
    notBeforeMs: nowMs - policy.skewMs,
    notAfterMs: nowMs + policy.authorityLifetimeMs,
    use: { kind: 'authority' },
  });
  return { certificate, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
