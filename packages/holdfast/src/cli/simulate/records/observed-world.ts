import type { ControlPlane, StoreEvent } from '@holdfast/embedded-cluster';
import type { KubeObject } from '@holdfast/embedded-cluster/objects';
import { collections } from '../../../core/sync.ts';
import type { GroupNode } from '../../../core/world/group-node.ts';
import type { PdbState } from '../../../core/world/pdb-state.ts';
import type { PubState } from '../../../core/world/pub/pub-state.ts';
import { World } from '../../../core/world/world.ts';
import { feedObject, forgetObject } from '../../feed-world.ts';
import { isLedger, sizesOf } from '../../ledger-sizes.ts';
import type { LoadedObject } from '../../load-objects.ts';

export type Budget = PdbState | PubState;

export interface TouchedNames {
  /** In which budgets, or what they depend on, changed. */
  readonly namespaces: ReadonlySet<string>;
  /** Of which pods changed. */
  readonly budgets: ReadonlySet<Budget>;
  /** Of which pods changed, with their namespace. */
  readonly groups: ReadonlyMap<GroupNode, string>;
}

/** Collections that say nothing about who is available, and change often. */
const unseen = new Set([
  'events',
  'events.k8s.io/events',
  'coordination.k8s.io/leases',
  'nodes',
  'endpoints',
  'discovery.k8s.io/endpointslices',
  'serviceaccounts',
  'configmaps',
  'secrets',
  'services',
  'apps/controllerrevisions',
]);

const ledgers = 'holdfast.dev/disruptionledgers';

/**
 * A world that is told by the store itself: it knows nothing of the operator's caches and reservations, so that it can say what really
 * was available. Of the ledger it knows the sizes of groups, which nothing else states (G5).
 */
export class ObservedWorld {
  readonly world = new World();
  readonly #namespaces = new Set<string>();
  readonly #budgets = new Set<Budget>();
  readonly #groups = new Map<GroupNode, string>();

  constructor({ registry: { store } }: ControlPlane) {
    for (const collection of collections) this.world.setSynced(collection, '0');
    for (const resource of store.resources()) {
      if (unseen.has(resource)) continue;
      for (const { object } of store.list(resource)) this.#feed(object);
    }
  }

  take({ type, resource, stored, previous }: StoreEvent): void {
    if (unseen.has(resource)) return;
    const { object } = stored;
    if (resource === 'pods') {
      this.#touchPod(object);
      if (type === 'DELETED') forgetObject(this.world, loaded(object));
      else this.#feed(object);
      this.#touchPod(object);
      return;
    }
    if (type === 'MODIFIED' && !isOther(object, previous?.object)) return;
    if (resource === ledgers && sizesIn(object) === sizesIn(previous?.object)) return;
    if (type === 'DELETED') forgetObject(this.world, loaded(object));
    else this.#feed(object);
    this.#namespaces.add(object.metadata.namespace ?? '');
  }

  /** What may have changed since the last time. */
  touched(): TouchedNames {
    const found = {
      namespaces: new Set(this.#namespaces),
      budgets: new Set(this.#budgets),
      groups: new Map(this.#groups),
    };
    this.#namespaces.clear();
    this.#budgets.clear();
    this.#groups.clear();
    return found;
  }

  #feed(object: KubeObject): void {
    const one = loaded(object);
    feedObject(this.world, isLedger(one) ? sizesOf(one) : one);
  }

  #touchPod({ metadata: { namespace = '', name } }: KubeObject): void {
    const record = this.world.pod(namespace, name);
    if (record === undefined) return;
    for (const budget of [...record.pdbs, ...record.pubs]) this.#budgets.add(budget);
    for (const group of record.groups) {
      this.#groups.set(group, namespace);
      // Of a group a budget may have selected other pods.
      for (const budget of group.budgets) this.#budgets.add(budget);
    }
  }
}

function sizesIn(object: KubeObject | undefined): string {
  return object === undefined ? '' : JSON.stringify(sizesOf(loaded(object))['spec']);
}

/** Most changes of an object are of its status. */
function isOther(object: KubeObject, previous: KubeObject | undefined): boolean {
  if (previous === undefined) return true;
  const { metadata: before } = previous;
  const { metadata: now } = object;
  return (
    now.generation === undefined ||
    now.generation !== before.generation ||
    now.deletionTimestamp !== before.deletionTimestamp ||
    JSON.stringify(now.annotations) !== JSON.stringify(before.annotations) ||
    JSON.stringify(now.labels) !== JSON.stringify(before.labels)
  );
}

/** Every stored object has a kind and a name. */
function loaded(object: KubeObject): LoadedObject {
  return object as unknown as LoadedObject;
}
