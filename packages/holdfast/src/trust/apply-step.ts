import { createAuthority, issueLeaf, type KeyPair, type MaterialOptions, type ServerNames } from './material.ts';
import { type ReadSecret, type SecretTexts, secretKeys } from './read-certificates.ts';
import type { CertificateFacts, CertificateStep } from './rotation-plan.ts';

/** What the Secret is to hold after a step. Undefined: nothing changes. */
export function afterStep(
  step: CertificateStep,
  secret: ReadSecret | undefined,
  names: ServerNames,
  options: MaterialOptions,
): SecretTexts | undefined {
  switch (step.kind) {
    case 'keep':
      return undefined;
    case 'addAuthority': {
      const signer = createAuthority(names, options);
      const leaf = step.withLeaf ? issueLeaf(signer, names, options) : secret?.leaf;
      return textsOf(signer, step.retain, leaf);
    }
    case 'issueLeaf': {
      if (secret?.signer === undefined) return undefined;
      return textsOf(secret.signer, othersOf(secret, []), issueLeaf(secret.signer, names, options));
    }
    case 'dropAuthorities': {
      if (secret?.signer === undefined) return undefined;
      return textsOf(secret.signer, othersOf(secret, step.ids), secret.leaf);
    }
  }
}

/** As `caBundle` wants it: PEM in base64. */
export function caBundleOf(authorities: readonly CertificateFacts[]): string {
  return Buffer.from(authorities.map(({ pem }) => pem).join('')).toString('base64');
}

function othersOf({ stored }: ReadSecret, without: readonly string[]): readonly CertificateFacts[] {
  return stored.trusted.filter(({ id }) => id !== stored.signer && !without.includes(id));
}

function textsOf(signer: KeyPair, others: readonly CertificateFacts[], leaf: KeyPair | undefined): SecretTexts {
  const texts = new Map<string, string>([
    [secretKeys.authorities, [signer.certificate, ...others.map(({ pem }) => pem)].join('')],
    [secretKeys.authorityKey, signer.key],
  ]);
  if (leaf !== undefined) {
    texts.set(secretKeys.leaf, leaf.certificate);
    texts.set(secretKeys.leafKey, leaf.key);
  }
  return texts;
}
