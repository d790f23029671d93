import type { Clock, Timer } from '../kube/time/clock.ts';
import type { Readiness } from '../telemetry/health/readiness.ts';
import type { WebhookServer } from './admission/wire/server.ts';

export interface FollowReadinessParts {
  readonly readiness: Readiness;
  readonly webhook: Pick<WebhookServer, 'keepConnections' | 'releaseConnections'>;
  readonly clock: Clock;
}

const checkEveryMs = 500;

/**
 * While this replica is not ready, its webhooks let go of their connections. A Service sends new connections to other replicas, but
 * an API server uses one that it has for as long as it stays open, and would be refused on it each time.
 */
export function followReadiness({ readiness, webhook, clock }: FollowReadinessParts): { close(): void } {
  let timer: Timer;
  let wasReady = true;
  const check = () => {
    const ready = readiness.missing().length === 0;
    if (ready) webhook.keepConnections();
    // A moment without a sign is no reason for all API servers to connect again.
    else if (!wasReady) webhook.releaseConnections();
    wasReady = ready;
    timer = clock.after(checkEveryMs, check);
  };
  timer = clock.after(0, check);
  return { close: () => timer.cancel() };
}
