import type { World } from '../core/world/world.ts';
import type { Clock } from '../kube/time/clock.ts';
import type { Random } from '../kube/time/random.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Clients } from './purposes.ts';

/** What every part of the operator is given. */
export interface OperatorContext {
  readonly world: World;
  readonly clients: Clients;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Of this process and this life of it: the name under which it leads. */
  readonly identity: string;
  /** The operator's own. */
  readonly namespace: string;
}
