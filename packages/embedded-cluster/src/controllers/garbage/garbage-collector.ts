import type { Client } from '../../client.ts';
import type { ResourceTypes } from '../../kinds/resource-type.ts';
import { type KubeObject, keyOf, type ResourceKey, splitKey } from '../../objects.ts';
import type { Store } from '../../store/store.ts';
import { EventRecorder } from '../common/events.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';
import { isBlocked } from './blocking.ts';
import { deleteOwned, orphan, removeFinalizer, stripOwners, unblockOwners } from './carry-out.ts';
import { foregroundFinalizer, judge, type OwnerFinding, orphanFinalizer } from './judge.ts';
import { dependentsOf, findOwners, isForeign, type LookupTools, type Owned, ownerType } from './owner-lookup.ts';
import { isWorthALook, ownersChanged } from './triggers.ts';

export interface GarbageCollectorDeps {
  readonly types: ResourceTypes;
  readonly store: Pick<Store, 'subscribe' | 'resources' | 'list'>;
}

/** An owner of an unserved kind may be served later. */
const unknownKindMs = 30_000;
/** An owner that waits for thousands does not look again for each of them. */
const waitingOwnerMs = 20;

/** Deletes what has lost its owners, and does what the propagation policies of deletions promise. */
export function startGarbageCollector(context: ControllerContext, deps: GarbageCollectorDeps): Controller {
  const collector = new GarbageCollector(context, deps.types);
  const subscription = deps.store.subscribe(({ type, resource, stored, previous }) => {
    if (type === 'DELETED') collector.removed(resource, stored.object);
    else collector.written(resource, stored.object, previous?.object);
  });
  for (const resource of deps.store.resources()) {
    for (const { object } of deps.store.list(resource)) collector.written(resource, object, undefined);
  }
  return {
    stop() {
      subscription.stop();
      collector.stop();
    },
  };
}

class GarbageCollector {
  readonly #tools: LookupTools;
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #reconciler: Reconciler;

  constructor(context: ControllerContext, types: ResourceTypes) {
    this.#tools = { view: context.view, types };
    this.#client = context.clientFor('generic-garbage-collector');
    this.#events = new EventRecorder(context, this.#client, 'garbage-collector-controller');
    this.#reconciler = new Reconciler(context, {
      name: 'generic-garbage-collector',
      reconcile: (key) => this.#reconcile(key),
    });
  }

  stop(): void {
    this.#reconciler.stop();
  }

  written(resource: ResourceKey, object: KubeObject, previous: KubeObject | undefined): void {
    // Events name no owners, and there are many of them.
    if (resource === 'events') return;
    const changed = ownersChanged(object, previous);
    const owners = changed ? findOwners(this.#tools, object) : [];
    for (const finding of owners) if (isForeign(this.#tools, finding)) this.#complain(object, finding);
    if (owners.some(({ state }) => state !== 'solid') || isWorthALook(object, previous)) this.#add(resource, object);
    if (changed && previous) this.#tellWaitingOwners(previous);
  }

  removed(resource: ResourceKey, object: KubeObject): void {
    if (resource === 'events') return;
    const { uid } = object.metadata;
    if (uid !== undefined)
      for (const owned of this.#tools.view.dependentsOf(uid)) this.#add(owned.resource, owned.object);
    this.#tellWaitingOwners(object);
  }

  #add(resource: ResourceKey, object: KubeObject): void {
    this.#reconciler.add(`${resource} ${keyOf(object)}`);
  }

  #tellWaitingOwners(object: KubeObject): void {
    for (const { reference, state } of findOwners(this.#tools, object)) {
      const type = state === 'waiting' ? ownerType(this.#tools.types, reference) : undefined;
      if (!type) continue;
      const { namespace } = object.metadata;
      const key = keyOf({ metadata: { name: reference.name, ...(type.namespaced && namespace ? { namespace } : {}) } });
      this.#reconciler.addAfter(`${type.key} ${key}`, waitingOwnerMs);
    }
  }

  #complain(object: KubeObject, { reference }: OwnerFinding): void {
    const { apiVersion, kind, name, uid } = reference;
    const namespace = object.metadata.namespace ?? '';
    const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    const message = `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`;
    this.#events.event(object, 'Warning', 'OwnerRefInvalidNamespace', message);
  }

  async #reconcile(key: string): Promise<Requeue | undefined> {
    const space = key.indexOf(' ');
    const resource = key.slice(0, space);
    const { namespace, name } = splitKey(key.slice(space + 1));
    const object = this.#tools.view.get(resource, namespace, name);
    // What is not served any more cannot be changed either.
    if (!object || !this.#tools.types.storage(resource)) return undefined;
    return this.#treat({ resource, object });
  }

  async #treat(owned: Owned): Promise<Requeue | undefined> {
    const dependents = dependentsOf(this.#tools, owned.object);
    const owners = findOwners(this.#tools, owned.object);
    const verdict = judge(
      owned.object,
      owners,
      dependents.map(({ object }) => object),
    );
    switch (verdict.kind) {
      case 'leave':
        return undefined;
      case 'lookAgain':
        return { afterMs: unknownKindMs };
      case 'strip':
        await stripOwners(this.#client, owned, verdict.uids);
        return undefined;
      case 'orphanDependents':
        await orphan(this.#client, owned.object, dependents);
        await removeFinalizer(this.#client, owned, orphanFinalizer);
        return undefined;
      case 'deleteDependents':
        await this.#deleteDependents(owned, dependents);
        return undefined;
      case 'delete': {
        const object = verdict.unblock ? await unblockOwners(this.#client, owned) : owned.object;
        if (object) await deleteOwned(this.#client, { ...owned, object }, verdict.policy);
        return undefined;
      }
    }
  }

  async #deleteDependents(owner: Owned, dependents: readonly Owned[]): Promise<void> {
    for (const { resource, object } of dependents) {
      if (object.metadata.deletionTimestamp === undefined) this.#add(resource, object);
    }
    const blocked = isBlocked(owner.object, (object) => dependentsOf(this.#tools, object).map((one) => one.object));
    if (!blocked) await removeFinalizer(this.#client, owner, foregroundFinalizer);
  }
}
