import type { Duplex } from 'node:stream';
import type { VirtualClock } from '../../packages/embedded-cluster/src/time/virtual-clock.ts';
import { caBundle, noCertificates } from '../../packages/holdfast/src/cli/simulate/protection.ts';
import { targetAs } from '../../packages/holdfast/src/cli/simulate/stage.ts';
import { defaultInstallValues } from '../../packages/holdfast/src/install/values/values.ts';
import type { ServerTarget } from '../../packages/holdfast/src/kube/transport/target.ts';
import {
  type InProcessWebhooks,
  serveInProcess,
} from '../../packages/holdfast/src/operator/admission/wire/in-process.ts';
import type { OperatorEdges } from '../../packages/holdfast/src/operator/edges.ts';
import { type RunningOperator, runOperator } from '../../packages/holdfast/src/operator/operator.ts';
import { createLogger } from '../../packages/holdfast/src/telemetry/log.ts';
import type { Random } from '../../packages/holdfast/test/core/ledger-model/random.ts';
import type { Network } from './network.ts';
import { ProcessClock } from './process-clock.ts';

export interface ReplicaTerms {
  readonly name: string;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly network: Network;
  /** Takes a connection to the API server. */
  readonly api: (end: Duplex) => void;
  /** The same for HTTP/2. Absent: the API server, or a proxy before it, does not speak it. */
  readonly apiHttp2: ((end: Duplex) => void) | undefined;
  /** How wrong its time of day is. */
  readonly skewMs: number;
  readonly logLevel: 'error' | 'warn';
  readonly report: (line: string) => void;
}

export const simulatedUrl = 'https://holdfast.simulation';

/** One process of the real operator. After `kill` a new one takes its place with `start`. */
export class Replica {
  readonly name: string;
  readonly #terms: ReplicaTerms;
  #life = 0;
  #clock: ProcessClock;
  #webhooks: InProcessWebhooks | undefined;
  #operator: RunningOperator | undefined;
  #isPaused = false;

  constructor(terms: ReplicaTerms) {
    this.#terms = terms;
    this.name = terms.name;
    this.#clock = new ProcessClock(terms.clock, terms.skewMs);
  }

  /** As the Service sees it: not one that was killed, and not one that says it is not ready. */
  get isReady(): boolean {
    return this.isAlive && this.#operator !== undefined && this.#operator.missing().length === 0;
  }

  get isAlive(): boolean {
    return this.#life > 0 && !this.#clock.isDead;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  accept(end: Duplex): void {
    if (this.#webhooks === undefined || !this.isAlive) end.destroy();
    else this.#webhooks.accept(end);
  }

  start(): void {
    this.#life += 1;
    this.#clock = new ProcessClock(this.#terms.clock, this.#terms.skewMs);
    this.#operator = undefined;
    this.#webhooks = undefined;
    void this.#run(this.#clock, this.#life).catch((error: unknown) => {
      if (!this.#clock.isDead) this.#terms.report(`${this.name} ended: ${String(error)}`);
    });
  }

  kill(): void {
    this.#clock.kill();
    this.#isPaused = false;
    this.#terms.network.release(this.name);
    this.#terms.network.cut(this.name);
  }

  pause(): void {
    this.#isPaused = true;
    this.#clock.pause();
    this.#terms.network.hold(this.name);
  }

  resume(): void {
    this.#isPaused = false;
    this.#terms.network.release(this.name);
    this.#clock.resume();
  }

  async #run(clock: ProcessClock, life: number): Promise<void> {
    const { random, report } = this.#terms;
    const { namespace, takeover } = defaultInstallValues;
    const log = createLogger({
      level: this.#terms.logLevel,
      format: 'text',
      write: (line) => (clock.isDead ? undefined : report(`${this.name}: ${line.trim()}`)),
      now: () => clock.now(),
    });
    const operator = await runOperator(
      {
        namespace,
        identity: `${this.name}-${life}`,
        takeover,
        webhook: { port: 0, url: simulatedUrl },
        health: { port: 0 },
        budgetMetrics: false,
      },
      { clock, random: () => random.below(2 ** 32) / 2 ** 32, log, runtimeMetrics: false },
      this.#edges(clock),
    );
    if (clock === this.#clock) this.#operator = operator;
  }

  #edges(clock: ProcessClock): OperatorEdges {
    return {
      api: this.#target(clock),
      keepsConnections: false,
      certificates: async () => ({ certificates: noCertificates, authorities: caBundle }),
      showHealth: async () => ({ port: 0, close: async () => undefined }),
      serve: async (_, terms) => {
        const webhooks = serveInProcess(terms);
        if (clock === this.#clock) this.#webhooks = webhooks;
        return webhooks;
      },
    };
  }

  #target(clock: ProcessClock): ServerTarget {
    const { network, api, apiHttp2 } = this.#terms;
    // A killed process sends nothing: what its code still tries here is cut off from the network.
    const connect = (accept: (end: Duplex) => void) => () =>
      clock.isDead ? network.connectToNothing() : network.connect(this.name, 'api', accept);
    const target = networkTarget('operator', connect(api));
    return apiHttp2 === undefined ? target : { ...target, connectHttp2: connect(apiHttp2) };
  }
}

/** Its connections go over the simulated network, and can die. */
export function networkTarget(token: string, connect: () => Duplex): ServerTarget {
  return { ...targetAs(token, connect), connectionsDie: true };
}
