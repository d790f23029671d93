import type { CertificatePolicy } from '../../trust/certificate-policy.ts';
import type { CertificateFacts, LeafFacts, StoredCertificates } from '../../trust/rotation-plan.ts';

/** Whether the Secret, as a replica sees it now, says that its leaf is still good. A Secret without a leaf takes none away. */
export function confirms(stored: StoredCertificates | undefined, leaf: Pick<LeafFacts, 'issuer'>): boolean {
  return stored?.trusted.some(({ id }) => id === leaf.issuer) === true;
}

/**
 * Whether a replica may go on with the leaf that it has. One that has not seen the Secret for long cannot know whether its leaf
 * is still trusted: it gives way to those that can.
 */
export function mayServe(
  leaf: Pick<CertificateFacts, 'notAfterMs'>,
  confirmedMs: number,
  nowMs: number,
  policy: CertificatePolicy,
): boolean {
  return nowMs < leaf.notAfterMs && nowMs - confirmedMs <= policy.confirmWithinMs;
}

/** Whether every webhook trusts what this authority signed. Without webhooks no API server calls, so none can distrust it. */
export function isTrusted(issuer: string | undefined, bundles: readonly (readonly CertificateFacts[])[]): boolean {
  return bundles.every((bundle) => bundle.some(({ id }) => id === issuer));
}

/** What a replica serves, and what it knows about that. */
export interface Serving {
  readonly leaf: LeafFacts;
  /** When the Secret last confirmed it. */
  readonly confirmedMs: number;
}

/**
 * Whether a replica should go over to this leaf of the Secret. One that no authority of the Secret signed is a mistake.
 * One that webhooks do not trust yet waits for as long as they trust the one that is served: a leader did not write it.
 * @param bundles what every webhook trusts; undefined: not seen for so long that it says nothing
 */
export function shouldAdopt(
  leaf: LeafFacts,
  serving: Serving | undefined,
  bundles: readonly (readonly CertificateFacts[])[] | undefined,
  nowMs: number,
  policy: CertificatePolicy,
): boolean {
  if (leaf.issuer === undefined || nowMs >= leaf.notAfterMs || leaf.id === serving?.leaf.id) return false;
  if (serving === undefined || bundles === undefined || isTrusted(leaf.issuer, bundles)) return true;
  const good = mayServe(serving.leaf, serving.confirmedMs, nowMs, policy) && isTrusted(serving.leaf.issuer, bundles);
  return !good;
}
