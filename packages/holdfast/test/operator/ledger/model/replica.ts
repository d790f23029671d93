import { anOwner, ns } from '../../../../../../test/support/builders.ts';
import type { DisruptionLedger } from '../../../../src/api/ledger.ts';
import { collections } from '../../../../src/core/sync.ts';
import { World } from '../../../../src/core/world/world.ts';
import type { Clock } from '../../../../src/kube/time/clock.ts';
import { pause } from '../../../../src/operator/admission/deadline.ts';
import type { PodReading } from '../../../../src/operator/admission/verify.ts';
import type { ApiServer } from '../../../core/ledger-model/api-server.ts';
import type { Budgets } from '../../../core/ledger-model/setup.ts';
import { aProcess, type Process } from '../support/a-service.ts';
import { FakeLedgers } from '../support/fake-ledgers.ts';

export interface ReplicaParts {
  readonly server: ApiServer;
  readonly budgets: Budgets;
  readonly clock: Clock;
  readonly identity: string;
  /** How long each way of a call takes. */
  readonly latency: () => number;
  readonly chance: () => number;
  readonly onWrite: (before: DisruptionLedger | undefined, after: DisruptionLedger) => void;
  /** Something that no turn may fail with. */
  readonly failed: (error: unknown) => void;
}

/** One process of the operator after the other: a crash leaves nothing but what the API server has. */
export class Replica {
  world = new World();
  store: FakeLedgers;
  process: Process;
  /** How many of the server's pod events its view has. */
  #seen = 0;
  /** No client hears the answers of an earlier process. */
  life = 0;
  readonly #parts: ReplicaParts;

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    this.store = this.#aStore();
    this.process = this.#aProcess();
    this.#start();
  }

  crash(): void {
    this.store.dead = true;
    this.process.pruner.resign();
    this.life += 1;
    this.world = new World();
    this.#seen = 0;
    this.store = this.#aStore();
    this.process = this.#aProcess();
    this.#start();
  }

  /** The watch of the pods brings some more events. */
  watch(count: number): void {
    const { events } = this.#parts.server;
    const until = Math.min(events.length, this.#seen + count);
    for (; this.#seen < until; this.#seen += 1) {
      const event = events[this.#seen];
      if (event === undefined) break;
      if (event.type === 'set') this.world.upsertPod(event.pod);
      else this.world.deletePod(ns, event.pod.metadata.name);
      this.#viewed(event.version);
    }
  }

  /** The view is as new as everything. */
  bookmark(): void {
    this.watch(Number.POSITIVE_INFINITY);
    this.world.setUnchanged('pods', String(this.#parts.server.version));
    this.#advanced();
  }

  /** The watch of the ledgers, which may tell an old story. */
  seeLedger(ledger: DisruptionLedger): void {
    this.world.acceptLedger(ns, ledger);
    this.process.pruner.touch(ns);
  }

  knows(uid: string): boolean {
    return [...(this.world.namespace(ns)?.pods.values() ?? [])].some((pod) => pod.uid === uid);
  }

  #viewed(version: number): void {
    this.world.setSynced('pods', String(version));
    this.#advanced();
  }

  #advanced(): void {
    this.process.views.advanced();
    this.process.pruner.touch(ns);
  }

  #start(): void {
    const { budgets, server } = this.#parts;
    for (const collection of collections) this.world.setSynced(collection, '100');
    this.world.setNamespace({ metadata: { name: ns } });
    this.world.setOwner(anOwner('LeaderWorkerSet', 'llm', budgets.groups));
    for (const pdb of budgets.pdbs) this.world.upsertPdb(pdb);
    for (const pub of budgets.pubs) this.world.upsertPub(pub);
    this.world.setLedger(ns, server.ledger);
    this.watch(Number.POSITIVE_INFINITY);
    // A list is as new as the server, which may be newer than any pod.
    this.#viewed(server.version);
  }

  #aStore(): FakeLedgers {
    const { server, clock, latency, onWrite } = this.#parts;
    const store = new FakeLedgers(server, clock, latency);
    store.onWrite = onWrite;
    return store;
  }

  #aProcess(): Process {
    const { clock, identity, chance, failed } = this.#parts;
    const read = (name: string) => this.#readPod(name);
    return aProcess({
      world: this.world,
      store: this.store,
      clock,
      identity: `${identity}.${this.life}`,
      random: chance,
      pods: { read: (_, name) => read(name) },
      failed: (_, error) => failed(error),
      // Some lives are of an installation whose evictions are bound to their uid and left to the API server.
      options: { takeover: this.#parts.budgets.desired % 2 === 0 ? 'on' : 'off' },
      podsVersion: () => this.#podsVersion(),
    });
  }

  async #podsVersion(): Promise<string> {
    const { clock, latency, server } = this.#parts;
    await pause(clock, latency());
    const { version } = server;
    await pause(clock, latency());
    return String(version);
  }

  async #readPod(name: string): Promise<PodReading> {
    const { clock, latency, server } = this.#parts;
    await pause(clock, latency());
    const pod = server.pods.get(name);
    await pause(clock, latency());
    return pod === undefined
      ? { kind: 'missing' }
      : { kind: 'found', uid: pod.uid, resourceVersion: String(pod.version) };
  }
}
