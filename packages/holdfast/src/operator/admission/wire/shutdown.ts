import type { HealthServer } from '../../../telemetry/health/health-server.ts';
import type { Readiness } from '../../../telemetry/health/readiness.ts';
import type { WebhookClock } from '../deadline.ts';
import type { WebhookServer } from './server.ts';

export interface ShutdownParts {
  readonly readiness: Readiness;
  readonly webhook: WebhookServer;
  readonly health: HealthServer;
  readonly clock: WebhookClock;
  /** Until the API servers that send requests have noticed that this replica is not ready. */
  readonly noticeMs: number;
  /** For the requests that are under way after that. */
  readonly drainMs: number;
}

/**
 * Leaves without a refused request. API servers reuse connections as long as these stay open, and learn late that a replica is
 * going; so it is not ready first, then lets go of its connections while it still answers, and stops listening last.
 */
export async function shutDown(parts: ShutdownParts): Promise<{ readonly dropped: number }> {
  const { readiness, webhook, health, clock } = parts;
  readiness.stop();
  webhook.drain();
  await new Promise<void>((resolve) => void clock.after(parts.noticeMs, resolve));
  const outcome = await webhook.close(parts.drainMs);
  await health.close();
  return outcome;
}
