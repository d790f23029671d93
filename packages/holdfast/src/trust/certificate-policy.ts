const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long certificates last, and how long the parts of a cluster may take to notice a new one. */
export interface CertificatePolicy {
  readonly authorityLifetimeMs: number;
  /** An authority that ends sooner is replaced. Longer than a leaf lasts, so that no leaf outlives what signed it. */
  readonly authorityRenewBeforeMs: number;
  readonly leafLifetimeMs: number;
  readonly leafRenewBeforeMs: number;
  /** How far clocks may be apart. */
  readonly skewMs: number;
  /** How long API servers may go on with the bundle that a webhook configuration had before. */
  readonly settleMs: number;
  /** A replica that could not look at the Secret for so long stops being ready. */
  readonly confirmWithinMs: number;
  /** How long after a new leaf was stored the last replica has stopped serving the older one. */
  readonly pickupMs: number;
  /** How long webhooks are called by the same unguessable path. */
  readonly pathLifetimeMs: number;
  /** How long a path is accepted after no configuration carries it any more. */
  readonly pathGraceMs: number;
}

export const defaultCertificatePolicy: CertificatePolicy = {
  authorityLifetimeMs: 730 * day,
  authorityRenewBeforeMs: 180 * day,
  leafLifetimeMs: 90 * day,
  leafRenewBeforeMs: 30 * day,
  skewMs: hour,
  settleMs: minute,
  confirmWithinMs: 30 * minute,
  pickupMs: hour,
  pathLifetimeMs: day,
  pathGraceMs: 10 * minute,
};

/** What about a policy would break the promise that a served leaf is always trusted. */
export function policyProblems(policy: CertificatePolicy): readonly string[] {
  const rules: readonly (readonly [broken: boolean, problem: string])[] = [
    [
      Object.values(policy).some((ms) => !Number.isSafeInteger(ms) || ms < 0),
      'every time must be a whole number of milliseconds, 0 or more',
    ],
    [
      policy.leafLifetimeMs <= policy.leafRenewBeforeMs + policy.skewMs,
      'a leaf must last longer than the time before its end at which it is renewed',
    ],
    [
      policy.authorityLifetimeMs <= policy.authorityRenewBeforeMs + policy.skewMs,
      'an authority must last longer than the time before its end at which it is replaced',
    ],
    [
      policy.authorityRenewBeforeMs < policy.leafLifetimeMs + policy.skewMs,
      'an authority must be replaced while it still outlives the leaves that it signs',
    ],
    [
      policy.leafRenewBeforeMs <= policy.settleMs + policy.pickupMs + policy.skewMs,
      'a leaf must be renewed early enough for the new one to be trusted and picked up',
    ],
    [
      policy.pathGraceMs <= policy.settleMs,
      'a path must be accepted for longer than API servers may go on with the configuration that carried it',
    ],
    [
      policy.pickupMs <= policy.confirmWithinMs,
      'an old authority must stay longer than a replica may serve without looking at the Secret',
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, problem]) => problem);
}
