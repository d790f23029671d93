import type { Clock } from '../time/clock.ts';
import type { Connection } from '../transport/connection.ts';
import { type RateLimit, RateLimiter } from '../transport/rate-limit.ts';
import { KubeClient } from './client.ts';

/** One client for each purpose, each with a rate limit of its own, over the same connection. */
export function createClients<Purpose extends string>(
  connection: Connection,
  limits: Readonly<Record<Purpose, RateLimit>>,
  clock: Clock,
): Readonly<Record<Purpose, KubeClient>> {
  const entries = Object.entries<RateLimit>(limits).map(
    ([purpose, limit]) =>
      [purpose, new KubeClient({ connection, clock, limiter: new RateLimiter(limit, clock) })] as const,
  );
  // Safe: one entry was made for each key of `limits`.
  return Object.fromEntries(entries) as Record<Purpose, KubeClient>;
}
