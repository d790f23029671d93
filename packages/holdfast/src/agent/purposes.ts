import type { RateLimit } from '../kube/transport/rate-limit.ts';

/** What calls to the API server are made for. A burst of conditions or events never holds up the renewal of a lease. */
export const agentPurposeLimits = {
  watch: { perSecond: 20, burst: 50, concurrent: 50, waiting: 200 },
  /** One process may serve many simulated nodes. */
  leases: { perSecond: 200, burst: 400, concurrent: 32, waiting: 5_000 },
  conditions: { perSecond: 50, burst: 100, concurrent: 8, waiting: 1_000 },
  events: { perSecond: 10, burst: 50, concurrent: 2, waiting: 200 },
} as const satisfies Readonly<Record<string, RateLimit>>;
