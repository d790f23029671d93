import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isLimitedTo, type KeyPair, type ServerNames } from './material.ts';
import { type ListedSegment, readSegments } from './path-segments.ts';
import { type CertificateFacts, type LeafFacts, maxAuthorities, type StoredCertificates } from './rotation-plan.ts';

/** The fields of the Secret. Other programs know them by these names, too. */
export const secretKeys = {
  /** The authority that signs, then those that are still trusted. */
  authorities: 'ca.crt',
  authorityKey: 'ca.key',
  leaf: 'tls.crt',
  leafKey: 'tls.key',
  /** The path segments that prove an API server, the newest first. */
  paths: 'paths',
} as const;

/** Texts of the Secret, decoded. */
export type SecretTexts = ReadonlyMap<string, string>;

export interface ReadSecret {
  readonly stored: StoredCertificates;
  /** Undefined: it cannot sign. */
  readonly signer: KeyPair | undefined;
  /** Undefined: it cannot be served. */
  readonly leaf: KeyPair | undefined;
  /** Path segments that replicas accept. */
  readonly segments: readonly ListedSegment[];
  /** What in the Secret cannot be used, and why, for people. What is missing is not a problem. */
  readonly problems: readonly string[];
}

/** A Secret is limited to 1 MiB; certificates of ours take less than 1 KiB each. */
const maxTextLength = 64 * 1024;
const certificateBlock = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+?-----END CERTIFICATE-----/g;

type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** Whatever the Secret holds: what cannot be used is left out and told. */
export function readSecret(texts: SecretTexts, names: ServerNames): ReadSecret {
  const authorities = readAuthorities(texts.get(secretKeys.authorities));
  const signer = readSigner(authorities.values, texts.get(secretKeys.authorityKey), names);
  const leaf = readLeaf(authorities.values, texts, names);
  return {
    stored: {
      trusted: authorities.values.map(({ facts }) => facts),
      signer: signer?.ok ? signer.value.id : undefined,
      signerLimited: signer?.ok === true && signer.value.limited,
      leaf: leaf?.ok ? leaf.value.facts : undefined,
    },
    signer: signer?.ok ? signer.value.pair : undefined,
    leaf: leaf?.ok ? leaf.value.pair : undefined,
    segments: readSegments(texts.get(secretKeys.paths)),
    problems: [
      ...authorities.problems,
      ...(signer?.ok === false ? [signer.problem] : []),
      ...(leaf?.ok === false ? [leaf.problem] : []),
    ],
  };
}

/** The authorities of a `caBundle`, for what a webhook configuration trusts now. */
export function readBundle(pem: string): readonly CertificateFacts[] {
  return readAuthorities(pem).values.map(({ facts }) => facts);
}

interface Authority {
  readonly facts: CertificateFacts;
  readonly certificate: X509Certificate;
}

function readAuthorities(text = ''): { readonly values: readonly Authority[]; readonly problems: readonly string[] } {
  const problem = (what: string) => `${secretKeys.authorities}: ${what}`;
  if (text.length > maxTextLength)
    return { values: [], problems: [problem(`is longer than ${maxTextLength} characters`)] };
  const values = new Map<string, Authority>();
  const problems: string[] = [];
  const blocks = text.match(certificateBlock) ?? [];
  if (blocks.length === 0 && text.trim() !== '') problems.push(problem('holds no certificate'));
  for (const [index, block] of blocks.entries()) {
    const read = readCertificate(block);
    if (!read.ok) problems.push(problem(`certificate ${index + 1} ${read.problem}`));
    else if (!read.value.ca) problems.push(problem(`certificate ${index + 1} is not an authority`));
    else if (values.size < maxAuthorities) {
      const facts = factsOf(read.value);
      values.set(facts.id, { facts, certificate: read.value });
    } else problems.push(problem(`certificate ${index + 1} is one too many: there can be ${maxAuthorities}`));
  }
  return { values: [...values.values()], problems };
}

function readSigner(
  authorities: readonly Authority[],
  keyText: string | undefined,
  names: ServerNames,
): Read<{ readonly id: string; readonly limited: boolean; readonly pair: KeyPair }> | undefined {
  if (keyText === undefined) return undefined;
  const key = readKey(keyText);
  if (!key.ok) return { ok: false, problem: `${secretKeys.authorityKey}: ${key.problem}` };
  const found = authorities.find(({ certificate }) => certificate.checkPrivateKey(key.value));
  if (found === undefined) return { ok: false, problem: `${secretKeys.authorityKey}: is the key of no authority here` };
  const { id, pem } = found.facts;
  const limited = isLimitedTo(found.certificate, names);
  return { ok: true, value: { id, limited, pair: { certificate: pem, key: keyText } } };
}

function readLeaf(
  authorities: readonly Authority[],
  texts: SecretTexts,
  names: ServerNames,
): Read<{ readonly facts: LeafFacts; readonly pair: KeyPair }> | undefined {
  const text = texts.get(secretKeys.leaf);
  const keyText = texts.get(secretKeys.leafKey);
  if (text === undefined && keyText === undefined) return undefined;
  const read = readCertificate(text ?? '');
  if (!read.ok) return { ok: false, problem: `${secretKeys.leaf}: ${read.problem}` };
  const key = readKey(keyText ?? '');
  if (!key.ok) return { ok: false, problem: `${secretKeys.leafKey}: ${key.problem}` };
  const certificate = read.value;
  if (!certificate.checkPrivateKey(key.value)) {
    return { ok: false, problem: `${secretKeys.leafKey}: is not the key of ${secretKeys.leaf}` };
  }
  const issuer = authorities.find((one) => hasSigned(one.certificate, certificate))?.facts.id;
  const facts = { ...factsOf(certificate), issuer, covers: covers(certificate, names) };
  return { ok: true, value: { facts, pair: { certificate: facts.pem, key: keyText ?? '' } } };
}

function hasSigned(authority: X509Certificate, leaf: X509Certificate): boolean {
  try {
    return leaf.checkIssued(authority) && leaf.verify(authority.publicKey);
  } catch {
    // Keys of another kind than the signature cannot have made it.
    return false;
  }
}

function covers(leaf: X509Certificate, { dnsNames, addresses }: ServerNames): boolean {
  return (
    dnsNames.every((name) => leaf.checkHost(name) !== undefined) &&
    addresses.every((address) => leaf.checkIP(address) !== undefined)
  );
}

function factsOf(certificate: X509Certificate): CertificateFacts {
  return {
    id: certificate.fingerprint256,
    pem: certificate.toString(),
    notBeforeMs: Date.parse(certificate.validFrom),
    notAfterMs: Date.parse(certificate.validTo),
  };
}

function readCertificate(text: string): Read<X509Certificate> {
  if (text.length > maxTextLength) return { ok: false, problem: `is longer than ${maxTextLength} characters` };
  try {
    return { ok: true, value: new X509Certificate(text) };
  } catch {
    return { ok: false, problem: 'is not a certificate' };
  }
}

function readKey(text: string): Read<KeyObject> {
  if (text.length > maxTextLength) return { ok: false, problem: `is longer than ${maxTextLength} characters` };
  try {
    return { ok: true, value: createPrivateKey(text) };
  } catch {
    // The reason could quote the key.
    return { ok: false, problem: 'is not a private key' };
  }
}
