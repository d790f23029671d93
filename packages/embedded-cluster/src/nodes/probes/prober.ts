import { isTerminating } from '../../controllers/common/pods.ts';
import type { PodObject } from '../../controllers/common/workloads.ts';
import type { Clock } from '../../time/clock.ts';
import type { Random } from '../../time/random.ts';
import type { ProbeEndpoint } from '../network/pod-listeners.ts';
import type { ProbeResult } from '../pods/pod-machine.ts';
import { TaskLimit } from '../task-limit.ts';
import { WakeQueue } from '../wake-queue.ts';
import { type KubeletProbe, kubeletProbes, portNumber } from './pod-probes.ts';
import { type ProbeOutcome, simulatedOutcome } from './probe-outcome.ts';
import {
  countOutcome,
  firstState,
  isSettled,
  nextBeat,
  type Rhythm,
  rhythmOf,
  type WorkerState,
} from './probe-worker.ts';
import { askSocket } from './socket-probe.ts';

export interface ProberOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly speed: number;
  podOf(key: string): PodObject | undefined;
  addressOf(key: string): string;
  endpoint(key: string, port: number): ProbeEndpoint;
  onResult(key: string, result: ProbeResult): void;
  onFailure(key: string, probe: KubeletProbe, output: string): void;
}

/** A container that runs, and so is probed. */
export interface Probed {
  readonly name: string;
  readonly startedMs: number;
  /** Its startup probe has passed, or it has none. */
  readonly started: boolean;
  readonly readinessPassed: boolean;
}

interface Worker {
  readonly id: string;
  readonly key: string;
  readonly probe: KubeletProbe;
  readonly startedMs: number;
  readonly rhythm: Rhythm;
  state: WorkerState;
  busy: boolean;
}

/** Probes over sockets at the same time. */
const maxProbes = 64;

/** Runs the startup, liveness and readiness probes of all pods. */
export class Prober {
  readonly #options: ProberOptions;
  readonly #workers = new Map<string, Map<string, Worker>>();
  readonly #byId = new Map<string, Worker>();
  readonly #queue: WakeQueue;
  readonly #limit = new TaskLimit(maxProbes);

  constructor(options: ProberOptions) {
    this.#options = options;
    this.#queue = new WakeQueue(options.clock, (id) => this.#run(id));
  }

  /** Takes note of which containers of a pod run now, and of what its annotations say now. */
  sync(key: string, pod: PodObject, containers: readonly Probed[]): void {
    const workers = this.#workers.get(key) ?? new Map<string, Worker>();
    const wanted = new Map(
      wantedProbes(pod, containers).map(([probe, of]) => [`${probe.container} ${probe.kind}`, { probe, of }]),
    );
    for (const [name, worker] of workers) {
      if (wanted.get(name)?.of.startedMs !== worker.startedMs) this.#drop(workers, name);
    }
    for (const [name, { probe, of }] of wanted) if (!workers.has(name)) this.#add(key, workers, name, probe, of);
    if (workers.size === 0) this.#workers.delete(key);
    else this.#workers.set(key, workers);
    for (const worker of workers.values()) this.#rouse(worker, pod);
  }

  forget(key: string): void {
    const workers = this.#workers.get(key);
    if (!workers) return;
    for (const name of [...workers.keys()]) this.#drop(workers, name);
    this.#workers.delete(key);
  }

  stop(): void {
    this.#queue.clear();
    this.#workers.clear();
    this.#byId.clear();
  }

  #add(key: string, workers: Map<string, Worker>, name: string, probe: KubeletProbe, of: Probed): void {
    const { random, speed, clock } = this.#options;
    const id = `${key} ${name}`;
    const rhythm = rhythmOf(probe.probe, of.startedMs, random.next(), speed);
    const state = firstState(probe.kind, of.readinessPassed);
    const worker: Worker = { id, key, probe, startedMs: of.startedMs, rhythm, state, busy: false };
    workers.set(name, worker);
    this.#byId.set(id, worker);
    this.#queue.set(id, nextBeat(rhythm, clock.now()));
  }

  #drop(workers: Map<string, Worker>, name: string): void {
    const worker = workers.get(name);
    workers.delete(name);
    if (!worker) return;
    this.#byId.delete(worker.id);
    this.#queue.delete(worker.id);
  }

  /** A probe whose answer is known beforehand is only asked again when that answer has changed. */
  #rouse(worker: Worker, pod: PodObject): void {
    const { state, busy, rhythm, id } = worker;
    if (busy || state.done || !isSettled(state) || !this.#isSimulated(worker, pod)) return;
    if (simulatedOutcome(pod, worker.probe).ok !== state.result)
      this.#queue.set(id, nextBeat(rhythm, this.#options.clock.now()));
  }

  #isSimulated({ key, probe }: Worker, pod: PodObject): boolean {
    const { handler } = probe.probe;
    if (handler.kind === 'exec') return true;
    const port = portNumber(pod, probe.container, handler.port);
    return port === undefined || this.#options.endpoint(key, port).kind === 'simulated';
  }

  #run(id: string): void {
    const worker = this.#byId.get(id);
    const pod = worker ? this.#options.podOf(worker.key) : undefined;
    if (!worker || !pod) return;
    if (this.#isSimulated(worker, pod)) {
      this.#count(worker, simulatedOutcome(pod, worker.probe));
      return;
    }
    worker.busy = true;
    void this.#limit.run(() => this.#ask(worker, pod)).then((outcome) => this.#count(worker, outcome));
  }

  #ask({ key, probe }: Worker, pod: PodObject): Promise<ProbeOutcome> {
    const { clock } = this.#options;
    const { handler, timeoutSeconds } = probe.probe;
    if (handler.kind === 'exec') return Promise.resolve(simulatedOutcome(pod, probe));
    const named = portNumber(pod, probe.container, handler.port) ?? 0;
    const other = handler.kind === 'grpc' ? undefined : handler.host;
    const endpoint = this.#options.endpoint(key, named);
    const port = other === undefined && endpoint.kind === 'socket' ? endpoint.port : named;
    return askSocket({ handler, host: other ?? this.#options.addressOf(key), port, timeoutSeconds, clock });
  }

  #count(worker: Worker, outcome: ProbeOutcome): void {
    worker.busy = false;
    if (this.#byId.get(worker.id) !== worker) return;
    const { kind, probe, container } = worker.probe;
    const { state, changed } = countOutcome(worker.state, outcome.ok, kind, probe);
    worker.state = state;
    if (!outcome.ok) this.#options.onFailure(worker.key, worker.probe, outcome.output);
    this.#next(worker);
    if (changed !== undefined) this.#options.onResult(worker.key, { container, kind, passed: changed });
  }

  #next(worker: Worker): void {
    const { clock, podOf } = this.#options;
    const pod = podOf(worker.key);
    if (!pod || worker.state.done) return;
    if (isSettled(worker.state) && this.#isSimulated(worker, pod)) {
      this.#rouse(worker, pod);
      return;
    }
    // Just after this beat, so that the next one is another.
    this.#queue.set(worker.id, nextBeat(worker.rhythm, clock.now() + 1));
  }
}

/**
 * Until a container has started, only its startup probe runs; afterwards, only the others. A pod that is being stopped is
 * still asked whether it is ready, but no longer restarted.
 */
function wantedProbes(pod: PodObject, containers: readonly Probed[]): readonly (readonly [KubeletProbe, Probed])[] {
  if (containers.length === 0) return [];
  return kubeletProbes(pod).flatMap((probe) => {
    if (isTerminating(pod) && probe.kind !== 'readiness') return [];
    const of = containers.find(({ name }) => name === probe.container);
    return of && (probe.kind === 'startup') === !of.started ? [[probe, of] as const] : [];
  });
}
