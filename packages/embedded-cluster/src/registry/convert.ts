import type { ResourceType, ResourceTypes } from '../kinds/resource-type.ts';
import { joinApiVersion, type KubeObject } from '../objects.ts';
import { withDefaultsOfToday } from './read-defaults.ts';

/** The version in which a request is worked on: a custom kind's own, whose schema it has; else the one objects are kept in. */
export function workingType(types: ResourceTypes, type: ResourceType): ResourceType {
  return type.custom ? type : (types.storage(type.key) ?? type);
}

export function storageApiVersion(type: ResourceType): string {
  const group = type.key.includes('/') ? type.key.slice(0, type.key.indexOf('/')) : '';
  return joinApiVersion(group, type.storageVersion);
}

/** The same object in another version. Objects that need nothing are handed back as they are. */
export async function convertTo(type: ResourceType, object: KubeObject, apiVersion: string): Promise<KubeObject> {
  if (object.apiVersion === apiVersion || type.conversion.kind !== 'webhook')
    return convertNow(type, object, apiVersion);
  const [converted] = await type.conversion.convert([object], apiVersion);
  return asToday(type, converted as KubeObject);
}

/** The same for those that no webhook converts. */
export function convertNow(type: ResourceType, object: KubeObject, apiVersion: string): KubeObject {
  if (object.apiVersion === apiVersion) return asToday(type, object);
  const { conversion } = type;
  return asToday(
    type,
    conversion.kind === 'function' ? conversion.convert(object, apiVersion) : { ...object, apiVersion },
  );
}

/** Only the schema of an object's own version says what belongs into it. */
function asToday(type: ResourceType, object: KubeObject): KubeObject {
  return object.apiVersion === apiVersionOf(type) ? withDefaultsOfToday(type, object) : object;
}

export async function convertAll(
  type: ResourceType,
  objects: readonly KubeObject[],
  apiVersion: string,
): Promise<readonly KubeObject[]> {
  if (type.conversion.kind !== 'webhook')
    return Promise.all(objects.map((object) => convertTo(type, object, apiVersion)));
  const foreign = objects.filter((object) => object.apiVersion !== apiVersion);
  if (foreign.length === 0) return objects.map((object) => asToday(type, object));
  const converted = new Map(foreign.map((object, index) => [object, index]));
  const results = await type.conversion.convert(foreign, apiVersion);
  return objects.map((object) => {
    const index = converted.get(object);
    return asToday(type, index === undefined ? object : (results[index] as KubeObject));
  });
}

export function apiVersionOf(type: ResourceType): string {
  return joinApiVersion(type.group, type.version);
}
