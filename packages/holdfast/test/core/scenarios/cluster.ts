import { aLedger, anOwner, aPod, aWorkload, ns, type PodBuilder } from '../../../../../test/support/builders.ts';
import { condition } from '../../../src/api/names.ts';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import type { PodUnavailableBudget } from '../../../src/api/pub/pub.ts';
import { type BatchOutcome, decideBatch } from '../../../src/core/ledger/batch.ts';
import { type NotesSeen, type PodsRead, type PruneOutcome, prune } from '../../../src/core/ledger/prune.ts';
import type { OwnerState } from '../../../src/core/owner.ts';
import type { Operation } from '../../../src/core/request.ts';
import { collections } from '../../../src/core/sync.ts';
import { World } from '../../../src/core/world/world.ts';

/**
 * The cluster of a scenario: a world, a clock that starts at 0, and an API server that numbers its writes. Watches are instant:
 * the view of the pods is always as new as the last write, except that a write to the ledger reaches it with the next event or
 * with the passing of time.
 */
export class Cluster {
  readonly world = new World();
  now = 0;
  readonly #seenBy = new Map<string, NotesSeen>();
  readonly #pods = new Map<string, PodBuilder>();
  #version = 100;
  #recreated = 0;

  constructor() {
    for (const collection of collections) this.world.setSynced(collection, '100');
    this.world.setNamespace({ metadata: { name: ns } });
    this.world.setLedger(ns, aLedger([], undefined, '100'));
  }

  addOwner(owner: OwnerState): void {
    this.world.setOwner(owner);
  }

  addGang(name: string, groups: number, size: number): void {
    this.world.upsertWorkload(aWorkload(name, 'worker', size, groups));
  }

  addPod(pod: PodBuilder): void {
    const node = pod.build().spec?.nodeName ?? '';
    this.world.setProbeLease(node, { renewedAt: this.now, durationSeconds: 1_000_000 });
    this.#put(pod);
  }

  addPdb(pdb: PodDisruptionBudget): void {
    this.world.upsertPdb(pdb);
  }

  addPub(pub: PodUnavailableBudget): void {
    this.world.upsertPub(pub);
  }

  change(name: string, change: (pod: PodBuilder) => PodBuilder): void {
    this.#put(change(this.#pod(name)));
  }

  /** It stays in memory, so that it can come back as it was before. */
  remove(name: string): void {
    this.#pod(name);
    this.world.deletePod(ns, name);
    this.#see(this.#next());
  }

  /** A new pod of the same name, running and ready; a probe it had says yes. */
  recreate(name: string): void {
    this.#recreated += 1;
    const old = this.#pod(name).build();
    const { deletionTimestamp: _gone, ...metadata } = old.metadata;
    const probed = old.status?.conditions?.some((one) => one.type === condition.disruptable) ?? false;
    const pod = aPod(name)
      .uid(`uid-${name}-${this.#recreated}`)
      .labels(metadata.labels ?? {})
      .annotate(metadata.annotations ?? {})
      .spec(old.spec ?? {});
    const [owner] = metadata.ownerReferences ?? [];
    const owned = owner === undefined ? pod : pod.ownedBy(owner);
    this.#put(probed ? owned.probed('True') : owned);
  }

  stopAgent(node: string): void {
    this.world.deleteProbeLease(node);
  }

  startAgent(node: string): void {
    this.world.setProbeLease(node, { renewedAt: this.now, durationSeconds: 1_000_000 });
  }

  /** The names of the pods on a node, in order. */
  podsOn(node: string): readonly string[] {
    const pods = [...(this.world.namespace(ns)?.pods.values() ?? [])].filter((pod) => pod.node === node);
    if (pods.length === 0) throw new Error(`no pod runs on ${node}`);
    return pods.map((pod) => pod.name).sort();
  }

  /** Asks for all of them at once, and writes the ledger as a replica would. */
  request(operation: Operation, pods: readonly string[]): BatchOutcome {
    const requests = pods.map((pod) => ({ operation, namespace: ns, pod }) as const);
    const outcome = decideBatch(this.world, ns, requests, this.now);
    if (outcome.ledger !== undefined) this.#write(outcome.ledger);
    return outcome;
  }

  prune(leader: string): PruneOutcome {
    const options = { identity: leader, uptime: this.now };
    const look = { ...options, seen: this.#seenBy.get(leader) ?? new Map() };
    const first = prune(this.world, ns, this.now, look);
    const outcome = first.needsPods ? prune(this.world, ns, this.now, { ...look, pods: this.#readPods() }) : first;
    if (outcome.ledger !== undefined) this.#write(outcome.ledger);
    // A process that wrote a note looks again, and sees it.
    const { seen } = outcome.noted ? prune(this.world, ns, this.now, options) : outcome;
    this.#seenBy.set(leader, seen);
    return outcome;
  }

  /** A consistent read is as new as the last write to the store, whatever the view has seen. */
  #readPods(): PodsRead {
    const ledgerVersion = this.world.namespace(ns)?.ledger?.metadata.resourceVersion ?? '';
    return { version: String(this.#version), ledgerVersion };
  }

  pass(seconds: number): void {
    this.now += seconds * 1_000;
    this.world.advance(this.now);
    this.#see(String(this.#version));
  }

  #pod(name: string): PodBuilder {
    const pod = this.#pods.get(name);
    if (pod === undefined) throw new Error(`there is no pod ${name}`);
    return pod;
  }

  #put(pod: PodBuilder): void {
    const version = this.#next();
    this.#pods.set(pod.build().metadata.name, pod);
    this.world.upsertPod(pod.version(version).build());
    this.#see(version);
  }

  #write(ledger: Parameters<World['setLedger']>[1]): void {
    const metadata = { ...ledger.metadata, resourceVersion: this.#next() };
    this.world.setLedger(ns, { ...ledger, metadata });
  }

  #next(): string {
    this.#version += 1;
    return String(this.#version);
  }

  #see(version: string): void {
    this.world.setSynced('pods', version);
  }
}

/** The LeaderWorkerSet, Deployment or StatefulSet of a scenario. */
export function workload(kind: string, name: string, replicas: number): OwnerState {
  return anOwner(kind, name, replicas);
}
