import type { KubeClient } from '../kube/client/client.ts';
import type { RateLimit } from '../kube/transport/rate-limit.ts';

/**
 * What calls to the API server are made for. Each purpose has a limit of its own: a burst of events or of status writes never
 * holds up the calls that an admission waits for.
 */
export const operatorPurposeLimits = {
  /** Ledgers, pods that a verdict depends on, takeovers: a webhook request waits for the answer. */
  admission: { perSecond: 2_000, burst: 2_000, concurrent: 500, waiting: 10_000 },
  /** Lists and watches: few, and long. */
  watch: { perSecond: 50, burst: 100, concurrent: 200, waiting: 500 },
  owners: { perSecond: 200, burst: 400, concurrent: 32, waiting: 20_000 },
  status: { perSecond: 600, burst: 1_200, concurrent: 32, waiting: 20_000 },
  /** Looks at StatefulSets whose rollouts are enforced, and what is done about them. */
  rollouts: { perSecond: 100, burst: 200, concurrent: 8, waiting: 1_000 },
  /** Guard labels, certificates, webhook configurations. */
  upkeep: { perSecond: 50, burst: 100, concurrent: 8, waiting: 5_000 },
  events: { perSecond: 20, burst: 100, concurrent: 4, waiting: 1_000 },
  election: { perSecond: 5, burst: 10, concurrent: 2, waiting: 20 },
} as const satisfies Readonly<Record<string, RateLimit>>;

export type Purpose = keyof typeof operatorPurposeLimits;
export type Clients = Readonly<Record<Purpose, KubeClient>>;
