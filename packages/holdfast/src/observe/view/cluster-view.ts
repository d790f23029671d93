import type { Namespace } from '@holdfast/base/meta';
import { agentsNamespace } from '../../api/installation-names.ts';
import { ledgerGroup } from '../../api/ledger.ts';
import { label } from '../../api/names.ts';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { Pod } from '../../api/pod.ts';
import { type PodUnavailableBudget, pubGroup } from '../../api/pub/pub.ts';
import type { PodGroup, Workload } from '../../api/workload.ts';
import { podGroupApis } from '../../core/groups/system-lists.ts';
import { schedulingGroup } from '../../core/groups/systems/native.ts';
import { type Collection, collections } from '../../core/sync.ts';
import type { BudgetRef } from '../../core/verdict.ts';
import type { Selection } from '../../kube/client/client.ts';
import type { Discovery } from '../../kube/discovery/discovery.ts';
import { Interner } from '../../kube/projection/interner.ts';
import { ObjectCache } from '../../kube/reflector/cache.ts';
import type { ServerTraits } from '../../kube/reflector/reflector.ts';
import type { Reflected, Sink } from '../../kube/reflector/sink.ts';
import type { CounterMetric } from '../../telemetry/metrics.ts';
import type { ViewContext } from '../context.ts';
import { feed, MergedCollection } from './collections.ts';
import { LedgerSink } from './ledger-sink.ts';
import { type LeaseTarget, NodeLeases, type NodeLeasesParts } from './node-leases.ts';
import { PodSink } from './pod-sink.ts';
import { type ProbeLeaseParts, ProbeLeaseSink, probeLeaseProjection } from './probe-leases.ts';
import {
  ledgerProjection,
  namespaceProjection,
  pdbProjection,
  podGroupProjection,
  podProjection,
  pubProjection,
  workloadProjection,
} from './projections.ts';
import type { Touched } from './touched.ts';
import type { Views } from './views.ts';
import { type AbnormalEnd, type Following, Watched, type WatchedOptions } from './watched.ts';

export interface ClusterViewParts {
  readonly context: ViewContext;
  readonly traits: ServerTraits;
  readonly discovery: Discovery;
  readonly touched: Touched;
  /** The watch of pods has advanced by an event of this namespace; undefined: by a bookmark or a whole list. */
  readonly podsAdvanced: (namespace: string | undefined) => void;
  /** A pod was created, changed or deleted; undefined: any number of them, by a whole list. */
  readonly podSeen: (pod: Pod | undefined) => void;
  /** A ledger was seen, of this namespace. */
  readonly ledgerSeen: (namespace: string) => void;
  /** A list shows an older ledger of this namespace than the world has: etcd may have been restored from a backup. */
  readonly ledgerOlder: (namespace: string) => void;
  /** Pods may refer to owners that were not looked up yet. */
  readonly ownersNamed: () => void;
  /** Told of the probe lease that counts for a node, with each renewal. */
  readonly leaseSeen?: NodeLeasesParts['seen'];
  /** What is made of the times in probe leases; absent: nothing. */
  readonly firstRenewal?: ProbeLeaseParts['firstRenewal'];
  /** Only this namespace is followed; absent: all. */
  readonly within?: string;
  /** A collection could not be followed, and is tried again. */
  readonly watchEnded?: (collection: string, end: AbnormalEnd) => void;
  /** How a PodUnavailableBudget is to be taken that no operator processes; absent: as it is. */
  readonly readPub?: (pub: PodUnavailableBudget) => PodUnavailableBudget;
}

/** Applies what the API server's watches report to the world. All input of verdicts arrives here, except for owners (`observe/owners`). */
export class ClusterView {
  readonly views: Views;
  readonly #parts: ClusterViewParts;
  readonly #interner = new Interner();
  readonly #watched = new Map<string, Following>();
  readonly #leases: readonly ProbeLeaseSink[];
  readonly #dead: CounterMetric<'collection'>;
  #pubsLeftToOthers = false;

  constructor(parts: ClusterViewParts) {
    this.#parts = parts;
    const report = (error: unknown) =>
      parts.context.log.error('an object from the watch could not be processed', { error });
    this.views = {
      namespaces: new ObjectCache<Namespace>({ report }),
      pdbs: new ObjectCache<PodDisruptionBudget>({ report }),
      pubs: new ObjectCache<PodUnavailableBudget>({ report }),
    };
    this.#dead = parts.context.metrics.counter({
      name: 'view_dead_watches_total',
      help: 'Watches whose connection was dead although neither side had closed it. Each was restarted at once.',
      labels: ['collection'],
    });
    this.#watchPods();
    this.#watchNamespaces();
    this.#watchBudgets();
    this.#watchLedgers();
    this.#watchGroups(report);
    this.#leases = this.#watchLeases();
  }

  start(): void {
    for (const one of this.#watched.values()) one.start();
  }

  async close(): Promise<void> {
    for (const leases of this.#leases) leases.close();
    await Promise.all([...this.#watched.values()].map((one) => one.close()));
  }

  /** The collections whose first list has not arrived yet. */
  missing(): readonly Collection[] {
    return collections.filter((one) => this.#parts.context.world.syncedVersion(one) === undefined);
  }

  /** Seconds since the last event or bookmark, by collection; a metric. */
  ages(): ReadonlyMap<string, number> {
    return new Map([...this.#watched].map(([name, one]) => [name, one.silentMs() / 1_000]));
  }

  /** Why the view is too old to allow a disruption: a pod may have failed since, and the view would not show it. */
  readonly staleness = (): string | undefined => {
    for (const [name, one] of this.#watched) {
      if (one.stale)
        return `the view of ${name} was last known to be current ${Math.round(one.silentMs() / 1_000)} seconds ago`;
    }
    return undefined;
  };

  /** Where Kruise's own webhook enforces PodUnavailableBudgets, Holdfast leaves them to it. */
  leavePubs(toOthers: boolean): void {
    if (toOthers === this.#pubsLeftToOthers) return;
    this.#pubsLeftToOthers = toOthers;
    this.readPubsAgain();
  }

  /** How PodUnavailableBudgets are to be taken has changed. */
  readPubsAgain(): void {
    const { world } = this.#parts.context;
    for (const pub of this.views.pubs.items()) {
      if (this.#pubsLeftToOthers) world.deletePub(pub.metadata.namespace ?? '', pub.metadata.name);
      else world.upsertPub(this.#readPub(pub));
      this.#touch('PodUnavailableBudget', pub);
    }
  }

  #readPub(pub: PodUnavailableBudget): PodUnavailableBudget {
    return this.#parts.readPub?.(pub) ?? pub;
  }

  #watchPods(): void {
    const { context, touched, podsAdvanced, podSeen, ownersNamed } = this.#parts;
    const advanced = (namespace: string | undefined) => {
      podsAdvanced(namespace);
      ownersNamed();
    };
    const sink = new PodSink({ world: context.world, touched, advanced, seen: podSeen });
    this.#watch<Pod>('pods', { group: '', kind: 'Pod' }, sink, () => podProjection(this.#interner));
  }

  #watchNamespaces(): void {
    const { context, touched } = this.#parts;
    const { world } = context;
    const into = {
      upsert: (one: Namespace) => {
        world.setNamespace(one);
        touched.namespace(one.metadata.name);
      },
      remove: (one: Namespace) => {
        world.deleteNamespace(one.metadata.name);
        // Controllers drop what they remember of a deleted namespace when they next reconcile it.
        touched.namespace(one.metadata.name);
      },
    };
    feed(this.views.namespaces, into, (version) => world.setSynced('namespaces', version));
    const { within } = this.#parts;
    const selection = within === undefined ? {} : { fieldSelector: `metadata.name=${within}` };
    const project = () => namespaceProjection(this.#interner);
    this.#watch('namespaces', { group: '', kind: 'Namespace' }, this.views.namespaces, project, selection);
  }

  #watchBudgets(): void {
    const { world } = this.#parts.context;
    const { pdbs, pubs } = this.views;
    const pdb = {
      upsert: (one: PodDisruptionBudget) => this.#budget('PodDisruptionBudget', one, () => world.upsertPdb(one)),
      remove: (one: PodDisruptionBudget) =>
        this.#budget('PodDisruptionBudget', one, () =>
          world.deletePdb(one.metadata.namespace ?? '', one.metadata.name),
        ),
    };
    feed(pdbs, pdb, (version) => world.setSynced('pdbs', version));
    this.#watch('pdbs', { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' }, pdbs, () =>
      pdbProjection(this.#interner),
    );
    const pub = {
      upsert: (one: PodUnavailableBudget) => {
        if (!this.#pubsLeftToOthers)
          this.#budget('PodUnavailableBudget', one, () => world.upsertPub(this.#readPub(one)));
      },
      remove: (one: PodUnavailableBudget) =>
        this.#budget('PodUnavailableBudget', one, () =>
          world.deletePub(one.metadata.namespace ?? '', one.metadata.name),
        ),
    };
    feed(pubs, pub, (version) => world.setSynced('pubs', version));
    this.#watch('pubs', { group: pubGroup, kind: 'PodUnavailableBudget' }, pubs, (resource) =>
      pubProjection(this.#interner, resource),
    );
  }

  #budget(kind: BudgetRef['kind'], one: Reflected, mutate: () => void): void {
    const wasCrowded = this.#isCrowded(kind, one);
    mutate();
    this.#touch(kind, one);
    // One budget more, or less, over a pod that has too many concerns all of them (N7).
    if (wasCrowded || this.#isCrowded(kind, one)) this.#parts.touched.namespace(one.metadata.namespace ?? '');
    // A budget may name a workload that no pod does.
    this.#parts.ownersNamed();
  }

  #isCrowded(kind: BudgetRef['kind'], { metadata }: Reflected): boolean {
    const state = this.#parts.context.world.namespace(metadata.namespace ?? '');
    const budgets = kind === 'PodDisruptionBudget' ? state?.pdbs : state?.pubs;
    return (budgets?.get(metadata.name)?.uncounted ?? 0) > 0;
  }

  #touch(kind: BudgetRef['kind'], { metadata }: Reflected): void {
    const { namespace = '', name } = metadata;
    this.#parts.touched.budgets([{ kind, namespace, name }]);
  }

  #watchLedgers(): void {
    const { context, touched, ledgerSeen: seen, ledgerOlder: older } = this.#parts;
    const sink = new LedgerSink({ world: context.world, touched, seen, older });
    this.#watch('ledgers', { group: ledgerGroup, kind: 'DisruptionLedger' }, sink, () =>
      ledgerProjection(this.#interner),
    );
  }

  #watchGroups(report: (error: unknown) => void): void {
    const { context, touched } = this.#parts;
    const { world } = context;
    const workloads = new ObjectCache<Workload>({ report });
    const after =
      <T extends Reflected>(mutate: (item: T) => void) =>
      (item: T) => {
        mutate(item);
        touched.namespace(item.metadata.namespace ?? '');
      };
    const into = {
      upsert: after<Workload>((one) => world.upsertWorkload(one)),
      remove: after<Workload>((one) => world.deleteWorkload(one.metadata.namespace ?? '', one.metadata.name)),
    };
    feed(workloads, into, (version) => world.setSynced('workloads', version));
    this.#watch('workloads', { group: schedulingGroup, kind: 'Workload' }, workloads, () =>
      workloadProjection(this.#interner),
    );
    const gathered = new MergedCollection(world, 'podGroups', podGroupApis);
    for (const group of podGroupApis) {
      const cache = new ObjectCache<PodGroup>({ report });
      const groups = {
        upsert: after<PodGroup>((one) => world.upsertPodGroup(one)),
        remove: after<PodGroup>((one) =>
          world.deletePodGroup(one.apiVersion, one.metadata.namespace ?? '', one.metadata.name),
        ),
      };
      feed(cache, groups, (version) => gathered.seen(group, version));
      this.#watch(`podgroups.${group}`, { group, kind: 'PodGroup' }, cache, (resource) =>
        podGroupProjection(this.#interner, resource),
      );
    }
  }

  /** The leases of the agents and, during an upgrade, of agents of the earlier version, which are replaced node by node. */
  #watchLeases(): readonly ProbeLeaseSink[] {
    const { context, touched } = this.#parts;
    const { world, clock, log, namespace } = context;
    const { leaseSeen: seen } = this.#parts;
    const leases = new NodeLeases({ world, touched, clock, ...(seen === undefined ? {} : { seen }) });
    const gathered = new MergedCollection(world, 'leases', ['leases', 'former-leases']);
    const watch = (name: string, where: string, target: LeaseTarget) => {
      const synced = (version: string) => gathered.seen(name, version);
      const { firstRenewal } = this.#parts;
      const times = firstRenewal === undefined ? {} : { firstRenewal };
      const sink = new ProbeLeaseSink({ world, target, clock, log, synced, ...times });
      const selection = { namespace: where, labelSelector: `${label.probeLease}=true` };
      const project = () => probeLeaseProjection(this.#interner);
      this.#watch(name, { group: 'coordination.k8s.io', kind: 'Lease' }, sink, project, selection);
      return sink;
    };
    return [watch('leases', agentsNamespace, leases.own), watch('former-leases', namespace, leases.former)];
  }

  #watch<T extends Reflected>(
    name: string,
    kind: WatchedOptions<T>['kind'],
    sink: Sink<T>,
    project: WatchedOptions<T>['project'],
    selection: Selection = this.#parts.within === undefined ? {} : { namespace: this.#parts.within },
  ): void {
    const { context, discovery, traits } = this.#parts;
    const foundDead = () => this.#dead.add({ collection: name });
    const ended = (end: AbnormalEnd) => this.#parts.watchEnded?.(name, end);
    const watched = new Watched<T>({ context, discovery, traits, kind, selection, sink, project, foundDead, ended });
    this.#watched.set(name, watched);
  }
}
