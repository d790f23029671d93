import type { OwnerReference } from '../../../../base/src/meta.ts';
import type { World } from '../../../src/core/world/world.ts';
import { createClients } from '../../../src/kube/client/clients.ts';
import { type Clock, realClock } from '../../../src/kube/time/clock.ts';
import type { Connection } from '../../../src/kube/transport/connection.ts';
import type { OperatorContext } from '../../../src/observe/context.ts';
import { OwnerResolver } from '../../../src/observe/owners/owner-resolver.ts';
import { operatorPurposeLimits } from '../../../src/observe/purposes.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';

/** Time that runs as many times faster: what waits for half a minute waits for less than a second. */
export function fastClock(factor: number): Clock {
  const start = realClock.monotonic();
  return {
    now: () => realClock.now(),
    monotonic: () => start + (realClock.monotonic() - start) * factor,
    after: (delayMs, callback) => realClock.after(delayMs / factor, callback),
  };
}

export interface RunningResolver {
  readonly world: World;
  readonly resolver: OwnerResolver;
  /** Namespaces that were reported as changed. */
  readonly touched: string[];
  readonly log: Readonly<Record<string, unknown>>[];
  metrics(): Promise<string>;
}

export function runResolver(
  world: World,
  connection: Connection,
  clock: Clock = fastClock(50),
  watchList = true,
): RunningResolver {
  const touched: string[] = [];
  const log: Readonly<Record<string, unknown>>[] = [];
  const metrics = createMetrics();
  const write = (line: string) => void log.push(JSON.parse(line) as Record<string, unknown>);
  const context: OperatorContext = {
    world,
    clients: createClients(connection, operatorPurposeLimits, realClock),
    clock,
    random: () => 0.5,
    log: createLogger({ level: 'warn', format: 'json', write, now: () => 0 }),
    metrics,
    identity: 'test',
    namespace: 'holdfast-system',
  };
  const listener = { budgets: () => {}, namespace: (name: string) => void touched.push(name) };
  const resolver = new OwnerResolver(context, listener, { watchList });
  return { world, resolver, touched, log, metrics: () => metrics.render() };
}

/** A reference of a pod to its controller. */
export function reference(apiVersion: string, kind: string, name: string, uid: string): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true };
}
