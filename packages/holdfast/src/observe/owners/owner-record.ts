import { type Fields, isObject } from '@holdfast/base/json';
import type { OwnerReference } from '@holdfast/base/meta';
import { deletionOf, type OwnerState } from '../../core/owner.ts';
import type { Interner } from '../../kube/projection/interner.ts';
import type { Draft } from '../../kube/projection/meta.ts';
import type { OwnerKind } from './owner-kinds.ts';

/** What is kept of an owner: clusters have tens of thousands of ReplicaSets, most of them old. */
export interface OwnerRecord {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion?: string;
  };
  readonly replicas?: number;
  readonly deleting?: boolean;
  readonly orphaning?: boolean;
  readonly controller?: OwnerReference;
}

/** The server fills it in for all kinds that have it; where it did not, this is what it means. */
const defaultReplicas = 1;

/** Throws when it is no object. */
export function projectOwner(object: Fields, scaled: boolean, interner: Interner): OwnerRecord {
  const source = object['metadata'];
  if (!isObject(source)) throw new SyntaxError('an object has metadata');
  const { name, namespace, uid, resourceVersion, deletionTimestamp, finalizers } = source;
  if (typeof name !== 'string' || typeof uid !== 'string') throw new SyntaxError('an object has a name and a uid');
  const metadata: Draft<OwnerRecord['metadata']> = { name, uid };
  if (typeof namespace === 'string') metadata.namespace = interner.of(namespace);
  if (typeof resourceVersion === 'string') metadata.resourceVersion = resourceVersion;
  const record: Draft<OwnerRecord> = { metadata };
  if (scaled) record.replicas = replicasOf(object['spec'], defaultReplicas);
  Object.assign(record, deletionOf(deletionTimestamp, finalizers));
  const controller = controllerIn(source['ownerReferences'], interner);
  if (controller !== undefined) record.controller = controller;
  return record;
}

function replicasOf(spec: unknown, otherwise: number): number {
  return isObject(spec) && typeof spec['replicas'] === 'number' ? spec['replicas'] : otherwise;
}

/** Of a scale: a number that is left out is zero. */
export function scaleReplicasOf(scale: Fields): number {
  return replicasOf(scale['spec'], 0);
}

function controllerIn(references: unknown, interner: Interner): OwnerReference | undefined {
  if (!Array.isArray(references)) return undefined;
  const found = references.filter(isObject).find(({ controller }) => controller === true);
  if (found === undefined) return undefined;
  const text = (key: string): string => interner.of(String(found[key]));
  return { apiVersion: text('apiVersion'), kind: text('kind'), name: text('name'), uid: text('uid'), controller: true };
}

/** Owners of pods that belong to no namespace are owners in the namespace of their pods, as far as the world is concerned. */
export function ownerStateOf({ group, kind }: OwnerKind, namespace: string, record: OwnerRecord): OwnerState {
  const { metadata, replicas, deleting, orphaning, controller } = record;
  return {
    apiVersion: group === '' ? 'v1' : `${group}/*`,
    kind,
    namespace,
    name: metadata.name,
    uid: metadata.uid,
    ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
    ...(replicas === undefined ? {} : { replicas }),
    ...(deleting === undefined ? {} : { deleting }),
    ...(orphaning === undefined ? {} : { orphaning }),
    ...(controller === undefined ? {} : { controller }),
  };
}
