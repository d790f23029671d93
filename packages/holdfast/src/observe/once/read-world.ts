import type { Fields } from '@holdfast/base/json';
import type { Namespace } from '@holdfast/base/meta';
import { defaultNamespace } from '../../api/installation-names.ts';
import { ledgerGroup, ledgerName } from '../../api/ledger.ts';
import { type PodUnavailableBudget, pubGroup } from '../../api/pub/pub.ts';
import type { Collection } from '../../core/sync.ts';
import { World } from '../../core/world/world.ts';
import type { ResourceName } from '../../kube/client/client.ts';
import { Interner } from '../../kube/projection/interner.ts';
import { Problem } from '../problem.ts';
import { resources } from '../resources.ts';
import type { ReadSession } from '../session.ts';
import {
  ledgerProjection,
  namespaceProjection,
  pdbProjection,
  podProjection,
  pubProjection,
} from '../view/projections.ts';
import { type BuiltinStatus, builtinStatusOf } from './builtin-status.ts';
import { type Gap, listRight } from './gap.ts';
import { readGroupObjects } from './group-objects.ts';
import { KindReader, type Read } from './kind-reader.ts';
import { type LiveWorld, objectKey } from './live-world.ts';
import { readOwners } from './owners.ts';
import { ProbeLeaseBook } from './probe-lease-book.ts';
import { readProbeLeases } from './probe-leases.ts';
import { type Registrations, readRegistrations } from './registrations.ts';
import type { Scope } from './scope.ts';

export interface ReadOptions {
  readonly scope: Scope;
  readonly operatorNamespace?: string | undefined;
  /** Kept between the looks of a command that follows the cluster. */
  readonly book?: ProbeLeaseBook;
}

/** Reads everything that the engine needs to judge disruptions in a scope. It writes nothing. */
export async function readWorld(session: ReadSession, options: ReadOptions): Promise<LiveWorld> {
  return new WorldReading(session, options).run();
}

class WorldReading {
  readonly #session: ReadSession;
  readonly #options: ReadOptions;
  readonly #reader: KindReader;
  readonly #world = new World();
  readonly #interner = new Interner();
  readonly #gaps: Gap[] = [];
  readonly #namespaces = new Map<string, Namespace>();
  readonly #builtin = new Map<string, BuiltinStatus>();

  constructor(session: ReadSession, options: ReadOptions) {
    this.#session = session;
    this.#options = options;
    this.#reader = new KindReader(session);
  }

  async run(): Promise<LiveWorld> {
    // Ledgers before pods: what was seen to happen is struck off a ledger, and must not be missing in both.
    const [registrations] = await Promise.all([
      readRegistrations(this.#reader),
      this.#readNamespaces(),
      this.#readLedgers(),
    ]);
    const operatorNamespace = this.#options.operatorNamespace ?? operatorNamespaceIn(registrations) ?? defaultNamespace;
    await Promise.all([this.#readPods(), this.#readPdbs(), this.#readPubs(registrations)]);
    this.#addLedgers();
    const { world, reader, interner, scope } = this.#parts();
    this.#gaps.push(...(await readGroupObjects({ reader, world, interner, scope })));
    const book = this.#options.book ?? new ProbeLeaseBook();
    const leases = await readProbeLeases({ session: this.#session, reader, world, interner, book }, operatorNamespace);
    this.#gaps.push(...leases.gaps);
    this.#gaps.push(...(await readOwners({ session: this.#session, reader, scope, world, interner })));
    const readAt = this.#session.clock.now();
    world.advance(readAt);
    const { namespaces, builtin, gaps } = { namespaces: this.#namespaces, builtin: this.#builtin, gaps: this.#gaps };
    return { world, scope, readAt, gaps, namespaces, builtin, leases: leases.views, registrations, operatorNamespace };
  }

  #parts() {
    return { world: this.#world, reader: this.#reader, interner: this.#interner, scope: this.#options.scope };
  }

  async #readNamespaces(): Promise<void> {
    const { world, reader, interner, scope } = this.#parts();
    const project = namespaceProjection(interner);
    const read =
      scope.kind === 'all'
        ? await reader.listResource(resources.namespaces, scope, project)
        : await namespacesNamed(scope.namespaces, reader, project);
    for (const one of read.kind === 'read' ? read.items : []) {
      this.#namespaces.set(one.metadata.name, one);
      world.setNamespace(one);
    }
    // Whether one of them is going or opted out can only let pods go: without knowing, none is let go for that.
    const follows = 'each counts as neither opted out nor terminating, and whether it is guarded is unknown';
    if (read.kind === 'denied') this.#gaps.push({ what: 'namespaces', why: read.why, follows });
    world.setSynced('namespaces', '0');
  }

  async #readLedgers(): Promise<void> {
    const { world, reader, interner, scope } = this.#parts();
    const kind = { group: ledgerGroup, kind: 'DisruptionLedger' };
    const read = await reader.list({ kind, scope, project: () => ledgerProjection(interner) });
    const follows = 'disruptions under way are unknown, and protected pods are refused';
    if (!this.#isKnown('ledgers', { group: ledgerGroup, plural: 'disruptionledgers' }, read, follows)) return;
    for (const one of read.kind === 'read' ? read.items : []) {
      if (one.metadata.name === ledgerName) world.setLedger(one.metadata.namespace ?? '', one);
    }
  }

  /** A namespace of which all ledgers are known, and that has none, has nothing reserved. */
  #addLedgers(): void {
    if (this.#world.syncedVersion('ledgers') === undefined) return;
    for (const { name, ledger } of this.#world.namespaces()) {
      if (ledger === undefined) this.#world.setLedger(name, { metadata: { name: ledgerName, namespace: name } });
    }
  }

  async #readPods(): Promise<void> {
    const { world, reader, interner, scope } = this.#parts();
    const read = await reader.listResource(resources.pods, scope, podProjection(interner));
    if (read.kind !== 'read') {
      const why = read.kind === 'denied' ? read.why : 'the server has no pods';
      throw new Problem(`pods cannot be read: ${why}`, 'Choose a namespace that you may read with -n NAMESPACE.');
    }
    for (const pod of read.items) world.upsertPod(pod);
    world.setSynced('pods', read.resourceVersion);
  }

  async #readPdbs(): Promise<void> {
    const { world, reader, interner, scope } = this.#parts();
    const project = pdbProjection(interner);
    const seen = (object: Fields) => ({ pdb: project(object), status: builtinStatusOf(object) });
    const read = await reader.listResource(resources.pdbs, scope, seen);
    if (!this.#isKnown('pdbs', resources.pdbs, read, everythingRefused)) return;
    for (const { pdb, status } of read.kind === 'read' ? read.items : []) {
      world.upsertPdb(pdb);
      this.#builtin.set(objectKey(pdb.metadata.namespace ?? '', pdb.metadata.name), status);
    }
  }

  async #readPubs(registrations: Registrations): Promise<void> {
    const { world, reader, interner, scope } = this.#parts();
    const kind = { group: pubGroup, kind: 'PodUnavailableBudget' };
    const read = await reader.list({ kind, scope, project: (resource) => pubProjection(interner, resource) });
    const named = { group: pubGroup, plural: 'podunavailablebudgets' };
    if (!this.#isKnown('pubs', named, read, everythingRefused)) return;
    // Where Kruise answers for them, they are not ours.
    if (registrations.kind === 'known' && registrations.kruise) return;
    const nobodyProcesses = registrations.kind === 'known' && registrations.validating === undefined;
    for (const one of read.kind === 'read' ? read.items : []) world.upsertPub(nobodyProcesses ? processed(one) : one);
  }

  /** What may not be read is not synced, so that the engine refuses; what is not there is. */
  #isKnown(
    collection: Collection,
    { group, plural }: Pick<ResourceName, 'group' | 'plural'>,
    read: Read<unknown>,
    follows: string,
  ): boolean {
    if (read.kind === 'denied') {
      this.#gaps.push({ what: plural, why: read.why, follows, right: listRight(group, plural, 'all') });
      return false;
    }
    this.#world.setSynced(collection, read.kind === 'read' ? read.resourceVersion : '0');
    return true;
  }
}

export const everythingRefused = 'which pods they protect is not known, and every pod is refused';

async function namespacesNamed(
  names: readonly string[],
  reader: KindReader,
  project: (object: Fields) => Namespace,
): Promise<Read<Namespace>> {
  const items: Namespace[] = [];
  for (const name of names) {
    const found = await reader.get<Fields>(resources.namespaces, { name });
    if (found.kind === 'absent')
      throw new Problem(`namespace ${name} does not exist`, 'kubectl get namespaces lists them.');
    if (found.kind === 'denied') return found;
    items.push(project(found.object));
  }
  return { kind: 'read', items, resourceVersion: '0' };
}

export function operatorNamespaceIn(registrations: Registrations): string | undefined {
  return registrations.kind === 'known' ? registrations.validating?.serviceNamespace : undefined;
}

/** Without an operator no status says which generation was processed; a reader means the newest. */
export function processed(pub: PodUnavailableBudget): PodUnavailableBudget {
  return { ...pub, status: { ...pub.status, observedGeneration: pub.metadata.generation ?? 0 } };
}
