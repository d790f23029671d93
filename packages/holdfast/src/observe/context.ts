import type { World } from '../core/world/world.ts';
import type { KubeReader } from '../kube/client/reader.ts';
import type { Clock } from '../kube/time/clock.ts';
import type { Random } from '../kube/time/random.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Clients } from './purposes.ts';

/** What is needed to keep a world like a cluster. None of its clients can write. */
export interface ViewContext {
  readonly world: World;
  readonly clients: Readonly<Record<'watch' | 'owners' | 'admission', KubeReader>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The operator's own. */
  readonly namespace: string;
}

/** What every part of the operator is given. */
export interface OperatorContext extends ViewContext {
  readonly clients: Clients;
  /** Unique per process start: the name in the leader's lease. */
  readonly identity: string;
}
