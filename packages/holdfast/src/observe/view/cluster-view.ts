import type { Namespace } from '@holdfast/base/meta';
import { agentsNamespace } from '../../api/installation-names.ts';
import { ledgerGroup } from '../../api/ledger.ts';
import { label } from '../../api/names.ts';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { Pod } from '../../api/pod.ts';
import { type PodUnavailableBudget, pubGroup } from '../../api/pub/pub.ts';
import type { PodGroup, Workload } from '../../api/workload.ts';
import { type Collection, collections } from '../../core/sync.ts';
import type { BudgetRef } from '../../core/verdict.ts';
import type { Selection } from '../../kube/client/client.ts';
import type { Discovery } from '../../kube/discovery/discovery.ts';
import { Interner } from '../../kube/projection/interner.ts';
import { ObjectCache } from '../../kube/reflector/cache.ts';
import type { ServerTraits } from '../../kube/reflector/reflector.ts';
import type { Reflected, Sink } from '../../kube/reflector/sink.ts';
import type { CounterMetric } from '../../telemetry/metrics.ts';
import type { OperatorContext } from '../context.ts';
import { feed, Gathered } from './collections.ts';
import { LedgerSink } from './ledger-sink.ts';
import { type LeaseTarget, NodeLeases } from './node-leases.ts';
import { PodSink } from './pod-sink.ts';
import { ProbeLeaseSink, probeLeaseProjection } from './probe-leases.ts';
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
import { type Following, Watched, type WatchedOptions } from './watched.ts';

export interface ClusterViewParts {
  readonly context: OperatorContext;
  readonly traits: ServerTraits;
  readonly discovery: Discovery;
  readonly touched: Touched;
  /** The view of the pods has moved on, because of this namespace; undefined: of none, or of many. */
  readonly podsAdvanced: (namespace: string | undefined) => void;
  /** A pod came, changed or went; undefined: many may have. */
  readonly podSeen: (pod: Pod | undefined) => void;
  /** A ledger was seen, of this namespace. */
  readonly ledgerSeen: (namespace: string) => void;
  /** A list of the ledgers has an older one than the world, of this namespace. */
  readonly ledgerOlder: (namespace: string) => void;
  /** Pods may refer to owners that were not looked up yet. */
  readonly ownersNamed: () => void;
}

/** Keeps the world like the cluster. Everything that verdicts are made from comes in here, but for owners. */
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

  /** What has not been seen whole yet. */
  missing(): readonly Collection[] {
    return collections.filter((one) => this.#parts.context.world.syncedVersion(one) === undefined);
  }

  /** Seconds of silence by collection, for those who look at graphs. */
  ages(): ReadonlyMap<string, number> {
    return new Map([...this.#watched].map(([name, one]) => [name, one.silentMs() / 1_000]));
  }

  /** Why the view may be older than what is admitted by it should rest on. */
  readonly staleness = (): string | undefined => {
    for (const [name, one] of this.#watched) {
      if (one.stale)
        return `the view of ${name} was last known to be current ${Math.round(one.silentMs() / 1_000)} seconds ago`;
    }
    return undefined;
  };

  /** Kruise's webhook guards PodUnavailableBudgets: then they are not ours. */
  leavePubs(toOthers: boolean): void {
    if (toOthers === this.#pubsLeftToOthers) return;
    this.#pubsLeftToOthers = toOthers;
    const { world } = this.#parts.context;
    for (const pub of this.views.pubs.items()) {
      if (toOthers) world.deletePub(pub.metadata.namespace ?? '', pub.metadata.name);
      else world.upsertPub(pub);
      this.#touch('PodUnavailableBudget', pub);
    }
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
        // What controllers remember of it ends with their next look.
        touched.namespace(one.metadata.name);
      },
    };
    feed(this.views.namespaces, into, (version) => world.setSynced('namespaces', version));
    this.#watch('namespaces', { group: '', kind: 'Namespace' }, this.views.namespaces, () =>
      namespaceProjection(this.#interner),
    );
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
        if (!this.#pubsLeftToOthers) this.#budget('PodUnavailableBudget', one, () => world.upsertPub(one));
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
    this.#watch('workloads', { group: 'scheduling.k8s.io', kind: 'Workload' }, workloads, () =>
      workloadProjection(this.#interner),
    );
    const gathered = new Gathered(world, 'podGroups', podGroupApis);
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

  /** Of the agents, and of those of an earlier version, which are replaced one by one. */
  #watchLeases(): readonly ProbeLeaseSink[] {
    const { context, touched } = this.#parts;
    const { world, clock, log, namespace } = context;
    const leases = new NodeLeases({ world, touched, clock });
    const gathered = new Gathered(world, 'leases', ['leases', 'former-leases']);
    const watch = (name: string, where: string, target: LeaseTarget) => {
      const synced = (version: string) => gathered.seen(name, version);
      const sink = new ProbeLeaseSink({ world, target, clock, log, synced });
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
    selection: Selection = {},
  ): void {
    const { context, discovery, traits } = this.#parts;
    const foundDead = () => this.#dead.add({ collection: name });
    this.#watched.set(name, new Watched<T>({ context, discovery, traits, kind, selection, sink, project, foundDead }));
  }
}

const podGroupApis = ['scheduling.k8s.io', 'scheduling.volcano.sh', 'scheduling.x-k8s.io'] as const;
