import type { Fields } from '@holdfast/base/json';
import { defaultNamespace } from '../../../api/installation-names.ts';
import type { ProbeLease } from '../../../core/lease.ts';
import { World } from '../../../core/world/world.ts';
import type { KubeReader } from '../../../kube/client/reader.ts';
import { Discovery } from '../../../kube/discovery/discovery.ts';
import { Interner } from '../../../kube/projection/interner.ts';
import { ObjectCache } from '../../../kube/reflector/cache.ts';
import type { ServerTraits } from '../../../kube/reflector/reflector.ts';
import type { Reflected } from '../../../kube/reflector/sink.ts';
import type { Clock } from '../../../kube/time/clock.ts';
import type { Random } from '../../../kube/time/random.ts';
import type { ViewContext } from '../../../observe/context.ts';
import { projectNode, type SeenNode } from '../../../observe/once/nodes.ts';
import { toleratedMs } from '../../../observe/once/probe-lease-book.ts';
import { operatorNamespaceIn, processed } from '../../../observe/once/read-world.ts';
import type { Registrations } from '../../../observe/once/registrations.ts';
import { OwnerResolver } from '../../../observe/owners/owner-resolver.ts';
import { ClusterView } from '../../../observe/view/cluster-view.ts';
import type { SeenLease } from '../../../observe/view/probe-leases.ts';
import { type AbnormalEnd, Watched } from '../../../observe/view/watched.ts';
import { createLogger, type Logger } from '../../../telemetry/log.ts';
import { createMetrics } from '../../../telemetry/metrics.ts';
import { Overview } from '../overview/overview.ts';
import { type RefusalEvent, refusalProjection, refusedReason } from '../overview/refusals.ts';
import { Contact, type Loss } from './contact.ts';
import { MissingRights } from './missing-rights.ts';

export interface ClusterWatchTerms {
  readonly client: KubeReader;
  readonly clock: Clock;
  readonly random: Random;
  /** Only this namespace; undefined: all. */
  readonly within: string | undefined;
  /** Undefined: as the registrations say. */
  readonly operatorNamespace: string | undefined;
  /** Something changed that pages may show. Cheap. */
  readonly changed: () => void;
  /** Mistakes of ours. */
  readonly report: (problem: string) => void;
}

interface WatchedNode extends Reflected {
  readonly node: SeenNode;
}

/** A kind that was not there is asked for again after this long. */
const missMs = 5_000;

/** A cluster that is followed by watches with the user's own rights, and what a page shows of it. It writes nothing. */
export class ClusterWatch {
  readonly world = new World();
  readonly overview: Overview;
  readonly rights: MissingRights;
  readonly #terms: ClusterWatchTerms;
  readonly #contact: Contact;
  readonly #view: ClusterView;
  readonly #owners: OwnerResolver;
  readonly #nodeCache: ObjectCache<WatchedNode>;
  readonly #nodes = new Map<string, SeenNode>();
  readonly #nodeWatch: Watched<WatchedNode>;
  readonly #events: ObjectCache<RefusalEvent>;
  readonly #eventWatch: Watched<RefusalEvent>;
  readonly #leases = new Map<string, ProbeLease>();
  #registrations: Registrations | undefined;

  constructor(terms: ClusterWatchTerms) {
    this.#terms = terms;
    const { clock } = terms;
    this.#contact = new Contact(clock);
    const context = contextOf(terms, this.world);
    const traits: ServerTraits = { watchList: true };
    const discovery = new Discovery({ client: terms.client, clock, missMs });
    this.rights = new MissingRights(this.world, (collection) => Number.isFinite(this.#silentMs(collection)));
    this.overview = new Overview({
      world: this.world,
      nodes: () => (this.rights.isDenied('nodes') ? undefined : this.#nodes),
      confirmedAt: (node) => this.confirmedAt(node),
    });
    const touched = {
      budgets: (refs: Parameters<Overview['budgets']>[0]) => {
        this.overview.budgets(refs);
        terms.changed();
      },
      namespace: (name: string) => {
        this.overview.namespace(name);
        terms.changed();
      },
    };
    this.#owners = new OwnerResolver(context, touched, traits, {
      lookedUp: (place, result) => this.rights.lookedUp(place, result),
    });
    this.#view = new ClusterView({
      context,
      traits,
      discovery,
      touched,
      podsAdvanced: () => undefined,
      podSeen: (pod) => {
        this.overview.podSeen(pod, clock.now());
        terms.changed();
      },
      ledgerSeen: (namespace) => touched.namespace(namespace),
      ledgerOlder: () => undefined,
      ownersNamed: () => this.#owners.wake(),
      firstRenewal: (lease) => firstRenewal(lease, clock),
      leaseSeen: (node, lease) => this.#leaseSeen(node, lease),
      ...(terms.within === undefined ? {} : { within: terms.within }),
      watchEnded: (collection, end) => this.#ended(collection, end),
      readPub: (pub) => (this.#isProcessed() ? pub : processed(pub)),
    });
    const report = (error: unknown) => context.log.error('an object from the watch could not be processed', { error });
    const interner = new Interner();
    this.#nodeCache = new ObjectCache<WatchedNode>({ report });
    this.#nodeCache.listen({
      delta: ({ type, item }) => this.#nodeChanged(item.node, type === 'deleted'),
      progress: () => terms.changed(),
    });
    this.#events = new ObjectCache<RefusalEvent>({ report });
    this.#events.listen({ delta: () => terms.changed(), progress: () => undefined });
    const parts = { context, discovery, traits };
    this.#nodeWatch = new Watched({
      ...parts,
      kind: { group: '', kind: 'Node' },
      sink: this.#nodeCache,
      project: () => (object) => watchedNode(object, interner),
      ended: (end) => this.#ended('nodes', end),
    });
    this.#eventWatch = new Watched({
      ...parts,
      kind: { group: '', kind: 'Event' },
      selection: {
        fieldSelector: `reason=${refusedReason}`,
        ...(terms.within === undefined ? {} : { namespace: terms.within }),
      },
      sink: this.#events,
      project: () => refusalProjection(interner),
      ended: (end) => this.#ended('events', end),
    });
  }

  start(): void {
    this.#view.start();
    this.#owners.start();
    this.#nodeWatch.start();
    this.#eventWatch.start();
  }

  async close(): Promise<void> {
    await Promise.all([this.#view.close(), this.#owners.close(), this.#nodeWatch.close(), this.#eventWatch.close()]);
  }

  get namespaces() {
    return this.#view.views.namespaces;
  }

  get operatorNamespace(): string {
    const { operatorNamespace } = this.#terms;
    const found = this.#registrations === undefined ? undefined : operatorNamespaceIn(this.#registrations);
    return operatorNamespace ?? found ?? defaultNamespace;
  }

  get registrations(): Registrations {
    return this.#registrations ?? { kind: 'unknown', why: 'they were not read yet' };
  }

  /** Undefined: nodes may not be read. */
  node(name: string): SeenNode | undefined {
    return this.#nodes.get(name);
  }

  refusals(): Iterable<RefusalEvent> {
    return this.#events.items();
  }

  leases(): ReadonlyMap<string, ProbeLease> {
    return this.#leases;
  }

  /** When the agent of a node was last seen to renew its lease, by the wall clock; undefined: its lease is not believed. */
  confirmedAt(node: string): number | undefined {
    const { clock } = this.#terms;
    const lease = this.#leases.get(node);
    if (lease === undefined) return undefined;
    const ageMs = clock.monotonic() - lease.renewedAt;
    return ageMs < lease.durationSeconds * 1_000 ? clock.now() - ageMs : undefined;
  }

  /** Who is asked about disruptions decides how PodUnavailableBudgets are taken. */
  setRegistrations(registrations: Registrations): void {
    const before = this.#isProcessed();
    this.#registrations = registrations;
    this.#view.leavePubs(registrations.kind === 'known' && registrations.kruise);
    if (this.#isProcessed() !== before) this.#view.readPubsAgain();
  }

  /** Prepares for a look: what may not be read counts as seen where that is safe, and namespaces without a ledger have an empty one. */
  settle(): void {
    this.rights.settle();
    if (this.world.syncedVersion('ledgers') === undefined) return;
    for (const { name, ledger } of this.world.namespaces()) {
      if (ledger !== undefined) continue;
      this.world.setLedger(name, { metadata: { name: 'default', namespace: name } });
      this.overview.namespace(name);
    }
  }

  /** What was not read yet. */
  waitingFor(): readonly string[] {
    const collections = this.#view.missing().filter((one) => !this.rights.isDenied(one));
    const groups = ['podGroups', 'workloads'];
    const hidden = this.rights.gaps().some(({ right }) => right?.hides === 'all');
    return [
      ...collections.filter((one) => !(hidden && groups.includes(one))),
      ...(this.#owners.synced() ? [] : ['owners']),
      ...(Number.isFinite(this.#nodeWatch.silentMs()) || this.rights.isDenied('nodes') ? [] : ['nodes']),
      ...(this.#registrations === undefined ? ['webhooks'] : []),
    ];
  }

  /** Since when, and why, what is shown may be old; undefined: it is current. */
  lost(): Loss | undefined {
    return this.#contact.loss(this.#silentMs('pods'), this.#view.staleness());
  }

  #ended(collection: string, end: AbnormalEnd): void {
    this.rights.ended(collection, end);
    this.#contact.ended(end, this.#silentMs(collection));
    this.#terms.changed();
  }

  #silentMs(collection: string): number {
    if (collection === 'nodes') return this.#nodeWatch.silentMs();
    if (collection === 'events') return this.#eventWatch.silentMs();
    return (this.#view.ages().get(collection) ?? Number.POSITIVE_INFINITY) * 1_000;
  }

  #nodeChanged(node: SeenNode, isDeleted: boolean): void {
    if (isDeleted) this.#nodes.delete(node.name);
    else this.#nodes.set(node.name, node);
    this.overview.node(node.name);
    this.#terms.changed();
  }

  #leaseSeen(node: string, lease: ProbeLease | undefined): void {
    if (lease === undefined) this.#leases.delete(node);
    else this.#leases.set(node, lease);
  }

  #isProcessed(): boolean {
    return !(this.#registrations?.kind === 'known' && this.#registrations.validating === undefined);
  }
}

/** As the commands that look once take it: the time in a lease that is seen for the first time is believed, unless it is in the future. */
function firstRenewal({ renewal }: SeenLease, clock: Clock): number | undefined {
  const [, renewTime] = JSON.parse(renewal) as readonly unknown[];
  const ageMs = clock.now() - Date.parse(String(renewTime));
  return Number.isNaN(ageMs) || ageMs < -toleratedMs ? undefined : clock.monotonic() - Math.max(0, ageMs);
}

function watchedNode(object: Fields, interner: Interner): WatchedNode {
  const node = projectNode(object, interner);
  const { metadata } = object as { readonly metadata?: { readonly resourceVersion?: string } };
  return { metadata: { name: node.name, resourceVersion: metadata?.resourceVersion ?? '' }, node };
}

function contextOf({ client, clock, random, operatorNamespace, report }: ClusterWatchTerms, world: World): ViewContext {
  return {
    world,
    clients: { watch: client, owners: client, admission: client },
    clock,
    random,
    log: logFor(clock, report),
    metrics: createMetrics({ runtime: false }),
    namespace: operatorNamespace ?? defaultNamespace,
  };
}

/** Watches that end are shown on the page; what is left is a mistake of ours. */
function logFor(clock: Clock, report: (problem: string) => void): Logger {
  return createLogger({ level: 'error', format: 'text', write: report, now: () => clock.now() });
}
