import type { CertificatePolicy } from '../../trust/certificate-policy.ts';
import type { CertificateFacts, LeafFacts, StoredCertificates } from '../../trust/rotation-plan.ts';

/** Whether the Secret, as this replica sees it, still has the served leaf. A Secret without a leaf does not withdraw the served one. */
export function confirms(stored: StoredCertificates | undefined, leaf: Pick<LeafFacts, 'issuer'>): boolean {
  return stored?.trusted.some(({ id }) => id === leaf.issuer) === true;
}

/**
 * Whether a replica may keep serving its leaf. A replica that has not seen the Secret for long cannot know whether API servers still trust
 * the leaf: it becomes unready, so that they call replicas that do know.
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
 * Whether a replica should serve this leaf of the Secret instead of its own. A leaf that no authority of the Secret signed is a mistake. A leaf
 * that webhooks do not trust yet waits while they trust the served one: no leader writes such a leaf, so another program did.
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
