import type { InstallationMode } from '../api/installation-names.ts';
import type { FeatureGates, InstallValues, projectionModes, takeoverModes } from '../install/index.ts';
import type { Access } from '../kube/config/access.ts';
import type { Clock } from '../kube/time/clock.ts';
import type { Random } from '../kube/time/random.ts';
import type { Logger } from '../telemetry/log.ts';

/** What a person chooses about an operator. */
export interface OperatorSettings {
  /** The operator's own. */
  readonly namespace: string;
  /** Unique per process start: two candidates with one identity would both hold the leader's lease. */
  readonly identity: string;
  /** `observe`: judge everything, and refuse, reserve and complete nothing. Absent: enforce. */
  readonly mode?: InstallationMode;
  readonly takeover: (typeof takeoverModes)[number];
  /** Whether PodDisruptionBudgets show units in `disruptionsAllowed`. Absent: on. */
  readonly projection?: (typeof projectionModes)[number];
  readonly webhook: {
    /** Absent: all addresses of the machine. */
    readonly host?: string;
    /** 0: any free one. */
    readonly port: number;
    /** Where API servers find the webhooks, when there is no Service for them. */
    readonly url?: string;
    /** Registers that URL with API servers. Otherwise the installation does. */
    readonly register?: boolean;
    /**
     * In a cluster: puts the webhooks into their configurations, which another tool has applied empty. Absent: they were applied with them.
     */
    readonly fill?: Pick<InstallValues['webhook'], 'failurePolicy' | 'timeoutSeconds' | 'caBundle'>;
    /** API servers must show a client certificate: a file with who signs it, and the names of which it must have one. */
    readonly clients?: { readonly file: string; readonly names: readonly string[] };
    /** API servers must show a bearer token of one of these users. */
    readonly bearer?: readonly string[];
  };
  readonly health: { readonly host?: string; readonly port: number };
  /** A folder with tls.crt and tls.key that another program keeps. Absent: certificates of our own. */
  readonly certificates?: string;
  /** Absent: as they come. */
  readonly featureGates?: FeatureGates;
  /** Hosts that disruption probes may name instead of their own pod. Absent: none. */
  readonly allowProbeHosts?: readonly string[];
  /** Metrics for each budget. */
  readonly budgetMetrics: boolean;
  /** How long it goes on answering after it reports not ready: until every API server has stopped sending requests. */
  readonly noticeMs?: number;
}

/** What its starter gives it. */
export interface OperatorEnvironment extends OperatorRuntime {
  readonly access: Access;
}

/** The operator's environment without its connections from and to the API server. */
export interface OperatorRuntime {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** False: metrics of this process are left out, because no scraper reads them. */
  readonly runtimeMetrics?: boolean;
  /** Gives up starting. An operator that runs is stopped by `stop`. */
  readonly signal?: AbortSignal;
}

/** A setting, or something about the cluster, with which no operator can run. */
export class OperatorProblem extends Error {
  override readonly name = 'OperatorProblem';
}
