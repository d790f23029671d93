import type { ControlPlane } from '../control-plane.ts';
import { createNodes } from '../nodes/create-nodes.ts';
import { type KubeObject, type ResourceKey, splitApiVersion } from '../objects.ts';
import type { Store } from '../store/store.ts';
import { timestamp } from '../time/clock.ts';
import { randomUid } from '../time/random.ts';

/** What a snapshot names and does not have. */
export interface Gaps {
  /** Made here, because nothing can be in a namespace that is not there. */
  readonly namespaces: readonly string[];
  /** Made here, because the snapshot has no nodes at all: it was taken without them. */
  readonly nodes: readonly string[];
  /** The snapshot has nodes, and not these: their pods are lost, and are collected as on any cluster. */
  readonly lostNodes: readonly string[];
  /** Objects that belong to something that is not there: garbage, which is collected as on any cluster. */
  readonly orphans: readonly Orphans[];
}

export interface Orphans {
  /** `ReplicaSet web-5d8` */
  readonly owner: string;
  readonly objects: number;
}

export function fillGaps(plane: ControlPlane): Gaps {
  const { store } = plane.registry;
  const namespaces = missingNamespaces(store);
  for (const name of namespaces) create(plane, 'namespaces', newNamespace(name));
  const nodes = missingNodes(store);
  const withoutNodes = store.count('nodes') === 0;
  if (withoutNodes) for (const node of standIns(nodes)) create(plane, 'nodes', node);
  return {
    namespaces,
    nodes: withoutNodes ? nodes : [],
    lostNodes: withoutNodes ? [] : nodes,
    orphans: orphansOf(plane),
  };
}

function missingNamespaces(store: Store): readonly string[] {
  const named = new Set<string>();
  for (const resource of store.resources()) {
    for (const { object } of store.list(resource)) if (object.metadata.namespace) named.add(object.metadata.namespace);
  }
  return [...named].filter((name) => store.get('namespaces', name) === undefined).sort();
}

function missingNodes(store: Store): readonly string[] {
  const named = new Set<string>();
  for (const { object } of store.list('pods')) {
    const node = (object['spec'] as { nodeName?: string } | undefined)?.nodeName;
    if (node) named.add(node);
  }
  return [...named].filter((name) => store.get('nodes', name) === undefined).sort();
}

function newNamespace(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers: ['kubernetes'] } };
}

/** Nodes like those that a cluster of our own has, under the names that the pods say. */
function standIns(names: readonly string[]): readonly KubeObject[] {
  return createNodes(names.length).map((node, index) => {
    const name = names[index] ?? node.metadata.name;
    const labels = { ...node.metadata.labels, 'kubernetes.io/hostname': name };
    return { ...node, metadata: { ...node.metadata, name, labels } };
  });
}

function create({ registry, types }: ControlPlane, resource: ResourceKey, object: KubeObject): void {
  types.storage(resource)?.strategy.applyDefaults?.(object);
  const system = { uid: randomUid(registry.random), creationTimestamp: timestamp(registry.clock.now()) };
  Object.assign(object.metadata, system);
  registry.store.create(resource, object.metadata.name, object);
}

/** Owners of kinds that are not served cannot be looked for, by the garbage collector neither. */
function orphansOf({ registry: { store }, types }: ControlPlane): readonly Orphans[] {
  const uids = new Set<string>();
  for (const resource of store.resources()) {
    for (const { object } of store.list(resource)) if (object.metadata.uid) uids.add(object.metadata.uid);
  }
  const counts = new Map<string, number>();
  for (const resource of store.resources()) {
    for (const { object } of store.list(resource)) {
      const owners = object.metadata.ownerReferences ?? [];
      const absent = owners.filter(({ uid, apiVersion, kind }) => {
        const { group, version } = splitApiVersion(apiVersion);
        return !uids.has(uid) && types.byKind(group, version, kind) !== undefined;
      });
      const [first] = absent;
      if (!first || absent.length < owners.length) continue;
      const owner = `${first.kind} ${first.name}`;
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
  }
  return [...counts].map(([owner, objects]) => ({ owner, objects }));
}
