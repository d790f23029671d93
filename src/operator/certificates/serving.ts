import type { CertificateFacts, LeafFacts, StoredCertificates } from './plan.ts';
import type { CertificatePolicy } from './policy.ts';

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
