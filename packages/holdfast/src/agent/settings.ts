import type { Access } from '../kube/config/access.ts';
import type { Clock } from '../kube/time/clock.ts';
import type { Random } from '../kube/time/random.ts';
import type { Logger } from '../telemetry/log.ts';
import type { ProbePermits } from './permits.ts';

/** What a person chooses about an agent. */
export interface AgentSettings {
  /** Where the leases of nodes are. */
  readonly namespace: string;
  /** The nodes whose pods it probes. */
  readonly nodes: readonly string[] | 'all';
  /** Unique per process start. */
  readonly identity: string;
  /** For how long a node's conditions count after the last renewal. */
  readonly leaseDurationSeconds: number;
  readonly permits: ProbePermits;
  readonly health: {
    readonly host?: string;
    /** 0: any free one. */
    readonly port: number;
  };
  /** Probes under way at the same time. */
  readonly maxProbes?: number;
}

/** What its starter gives it. */
export interface AgentEnvironment extends AgentRuntime {
  readonly access: Access;
}

/** The agent's environment without its connection to the API server. */
export interface AgentRuntime {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** False: metrics of this process are left out, because no scraper reads them. */
  readonly runtimeMetrics?: boolean;
}

export const defaultLeaseSeconds = 40;
/** Shorter, and a slow API server alone would make every pod stale. */
export const minLeaseSeconds = 2;
export const defaultMaxProbes = 50;
