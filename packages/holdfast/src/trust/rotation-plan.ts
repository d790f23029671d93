import type { CertificatePolicy } from './certificate-policy.ts';

/** What matters of a certificate. */
export interface CertificateFacts {
  /** The fingerprint: the same for the same certificate everywhere. */
  readonly id: string;
  readonly pem: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

export interface LeafFacts extends CertificateFacts {
  /** The authority that signed it, of those that are stored. */
  readonly issuer: string | undefined;
  /** It names everything that the webhooks are called by. */
  readonly covers: boolean;
}

/** What the Secret holds, as far as it can be used. */
export interface StoredCertificates {
  /** All authorities that webhook configurations are to trust. */
  readonly trusted: readonly CertificateFacts[];
  /** The one whose key is there, too: it signs. */
  readonly signer: string | undefined;
  /** The one that signs is limited to what the webhooks are called by: it can vouch for all of that, and for nothing else. */
  readonly signerLimited: boolean;
  /** Undefined: there is none that could be served. */
  readonly leaf: LeafFacts | undefined;
}

/**
 * What the planning leader has seen, by its own clock alone: the clocks of other replicas do not matter. The configurations are
 * read after the Secret; otherwise an authority that was published in between would look like one that the Secret does not have.
 */
export interface Observed {
  /** Authorities that every webhook configuration holds, and since when it was seen so. */
  readonly everywhere: ReadonlyMap<string, number>;
  /** Authorities that any webhook configuration holds. */
  readonly anywhere: readonly CertificateFacts[];
  /** Since when the leaf of the Secret has been seen there. */
  readonly leafSinceMs: number;
}

/** One write of the Secret, to be made only if it is still the one that was planned for. */
export type CertificateStep =
  | { readonly kind: 'keep' }
  /** A new authority that signs from now on. `withLeaf`: no replica serves a leaf that could break, so a new one need not wait. */
  | {
      readonly kind: 'addAuthority';
      readonly why: AuthorityTrouble;
      readonly retain: readonly CertificateFacts[];
      readonly withLeaf: boolean;
    }
  | { readonly kind: 'issueLeaf'; readonly why: LeafTrouble }
  | { readonly kind: 'dropAuthorities'; readonly ids: readonly string[] };

/** `names`: it is limited to other names, or, as those of earlier versions, not at all. */
type AuthorityTrouble = 'none' | 'ending' | 'future' | 'names';

export type LeafTrouble = 'none' | 'issuer' | 'names' | 'ending' | 'future';

export interface CertificatePlan {
  readonly step: CertificateStep;
  /**
   * What every webhook configuration must hold. Undefined: they are left as they are, because there is nothing better. The leader
   * that writes it reads the configuration first and the Secret after that, and writes with the configuration's version: so a
   * leader that was replaced cannot bring back a bundle older than the one it overwrites.
   */
  readonly bundle: readonly CertificateFacts[] | undefined;
  /** When to look again, at the latest, even if nothing changes. */
  readonly againMs: number;
}

/** Two are the rule. More than this come only of a Secret that is lost again and again; then the oldest make room. */
export const maxAuthorities = 16;

/** What to do next with the certificates of the webhooks. `stored` undefined: there is no Secret. */
export function planCertificates(
  stored: StoredCertificates | undefined,
  seen: Observed,
  nowMs: number,
  policy: CertificatePolicy,
): CertificatePlan {
  const bundle = stored && stored.trusted.length > 0 ? stored.trusted : undefined;
  const signer = stored?.trusted.find(({ id }) => id === stored.signer);
  const trouble = authorityTrouble(signer, stored?.signerLimited === true, nowMs, policy);
  if (trouble !== undefined || stored === undefined || signer === undefined) {
    return { step: addAuthority(stored, seen, trouble ?? 'none', nowMs, policy), bundle, againMs: nowMs };
  }
  const trustedMs = trustedFrom(stored, signer, seen, nowMs, policy);
  const step = leafStep(stored.leaf, signer, trustedMs, nowMs, policy) ?? dropStep(stored, signer, seen, nowMs, policy);
  return { step, bundle, againMs: nextLook(stored, signer, trustedMs, seen, nowMs, policy) };
}

function authorityTrouble(
  signer: CertificateFacts | undefined,
  limited: boolean,
  nowMs: number,
  policy: CertificatePolicy,
): AuthorityTrouble | undefined {
  if (signer === undefined) return 'none';
  if (signer.notBeforeMs > nowMs + policy.skewMs) return 'future';
  if (nowMs >= signer.notAfterMs - policy.authorityRenewBeforeMs) return 'ending';
  return limited ? undefined : 'names';
}

/** What is trusted stays trusted: a replica may still serve by it, whether it is in the Secret or only in the configurations. */
function addAuthority(
  stored: StoredCertificates | undefined,
  seen: Observed,
  why: AuthorityTrouble,
  nowMs: number,
  policy: CertificatePolicy,
): CertificateStep {
  const known = new Map([...(stored?.trusted ?? []), ...seen.anywhere].map((authority) => [authority.id, authority]));
  const alive = [...known.values()].filter((authority) => !isOver(authority, nowMs, policy));
  const newestFirst = alive.sort((a, b) => b.notAfterMs - a.notAfterMs || (a.id < b.id ? -1 : 1));
  // The one that is served by must not be among those that make room.
  const served = newestFirst.filter(({ id }) => id === stored?.leaf?.issuer);
  const others = newestFirst.filter(({ id }) => id !== stored?.leaf?.issuer);
  const retain = [...served, ...others].slice(0, maxAuthorities - 1);
  return { kind: 'addAuthority', why, retain, withLeaf: alive.length === 0 };
}

function isOver(authority: CertificateFacts, nowMs: number, policy: CertificatePolicy): boolean {
  return nowMs > authority.notAfterMs + policy.skewMs;
}

function leafTrouble(
  leaf: LeafFacts | undefined,
  signer: string,
  nowMs: number,
  policy: CertificatePolicy,
): LeafTrouble | undefined {
  if (leaf === undefined) return 'none';
  if (leaf.issuer !== signer) return 'issuer';
  if (!leaf.covers) return 'names';
  if (leaf.notBeforeMs > nowMs + policy.skewMs) return 'future';
  return nowMs >= leaf.notAfterMs - policy.leafRenewBeforeMs ? 'ending' : undefined;
}

/** A leaf may appear only when every API server trusts its signer, or when there is no API server yet that trusts another. */
function leafStep(
  leaf: LeafFacts | undefined,
  signer: CertificateFacts,
  trustedMs: number,
  nowMs: number,
  policy: CertificatePolicy,
): CertificateStep | undefined {
  const why = leafTrouble(leaf, signer.id, nowMs, policy);
  if (why === undefined) return undefined;
  return trustedMs <= nowMs ? { kind: 'issueLeaf', why } : { kind: 'keep' };
}

function trustedFrom(
  stored: StoredCertificates,
  signer: CertificateFacts,
  seen: Observed,
  nowMs: number,
  policy: CertificatePolicy,
): number {
  const isOther = (one: CertificateFacts) => one.id !== signer.id && !isOver(one, nowMs, policy);
  if (!stored.trusted.some(isOther) && !seen.anywhere.some(isOther)) return nowMs;
  const since = seen.everywhere.get(signer.id);
  return since === undefined ? Number.POSITIVE_INFINITY : since + policy.settleMs;
}

/** An old authority goes when no replica can serve by it any more, or when it could not vouch for anything anyway. */
function dropStep(
  stored: StoredCertificates,
  signer: CertificateFacts,
  seen: Observed,
  nowMs: number,
  policy: CertificatePolicy,
): CertificateStep {
  const settled = nowMs - seen.leafSinceMs >= policy.pickupMs;
  const ids = stored.trusted
    .filter((authority) => authority.id !== signer.id && (settled || isOver(authority, nowMs, policy)))
    .map(({ id }) => id);
  return ids.length === 0 ? { kind: 'keep' } : { kind: 'dropAuthorities', ids };
}

function nextLook(
  stored: StoredCertificates,
  signer: CertificateFacts,
  trustedMs: number,
  seen: Observed,
  nowMs: number,
  policy: CertificatePolicy,
): number {
  const times = [signer.notAfterMs - policy.authorityRenewBeforeMs, trustedMs];
  if (stored.leaf !== undefined) times.push(stored.leaf.notAfterMs - policy.leafRenewBeforeMs);
  if (stored.trusted.length > 1) times.push(seen.leafSinceMs + policy.pickupMs);
  const ahead = times.filter((time) => time > nowMs && Number.isFinite(time));
  return Math.min(...ahead, nowMs + policy.confirmWithinMs);
}
