import { type Fields, isObject } from '@holdfast/base/json';
import type { StringMap } from '@holdfast/base/meta';
import { Interner } from '../../kube/projection/interner.ts';
import { projectMeta } from '../../kube/projection/meta.ts';
import { resources } from '../resources.ts';
import type { KindReader, Read, ReadObject } from './kind-reader.ts';
import { everywhere } from './scope.ts';

export interface SeenNode {
  readonly name: string;
  readonly labels: StringMap;
  readonly ready: boolean;
  readonly cordoned: boolean;
}

export async function readNodes(reader: KindReader, labelSelector?: string): Promise<Read<SeenNode>> {
  const interner = new Interner();
  const selection = labelSelector === undefined ? {} : { labelSelector };
  return reader.listResource(resources.nodes, everywhere, (object) => projectNode(object, interner), selection);
}

export async function readNode(reader: KindReader, name: string): Promise<ReadObject<SeenNode>> {
  const found = await reader.get<Fields>(resources.nodes, { name });
  return found.kind === 'found' ? { ...found, object: projectNode(found.object, new Interner()) } : found;
}

export function projectNode(object: Fields, interner: Interner): SeenNode {
  const { name, labels = {} } = projectMeta(object, { interner, keepAnnotation: () => false });
  const { spec, status } = object;
  const conditions =
    isObject(status) && Array.isArray(status['conditions']) ? status['conditions'].filter(isObject) : [];
  return {
    name,
    labels,
    ready: conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
    cordoned: isObject(spec) && spec['unschedulable'] === true,
  };
}
