import type { RawSchema } from '../kinds/schema.ts';
import type { JsonObject } from '../objects.ts';

/**
 * What the fields are for that every object has, for `kubectl explain`. Recorded schemas come without descriptions, and custom
 * ones with those of their authors.
 */

/** Of the fields beside an object's own. */
export const ofEveryObject = {
  apiVersion: 'APIVersion defines in which version of its group the object is written, as `group/version`.',
  kind: 'Kind says what the object is. The server knows it from the path, too, and it never changes.',
  metadata: "Standard object's metadata: its name, where it lives, and what others have noted about it.",
} as const;

const ofMetadata: Readonly<Record<string, string>> = {
  annotations: 'Annotations are notes for people and programs. Nothing is selected by them.',
  creationTimestamp: 'CreationTimestamp is a timestamp of the moment when the server created the object. Read-only.',
  deletionGracePeriodSeconds: 'How many seconds the object has to end after it was deleted. Read-only.',
  deletionTimestamp: 'When the object is to be gone. It is set when a client deletes the object. Read-only.',
  finalizers: 'Who still has to do something before the object can go. It stays until the list is empty.',
  generateName: 'The beginning of a name that the server completes, for an object without a name.',
  generation: 'How often what the object asks for has changed. Read-only.',
  labels: 'Labels are what objects are selected by.',
  managedFields: 'Who has set which fields, for server-side apply.',
  name: 'Unique among the objects of its kind in its namespace. It cannot be changed.',
  namespace: 'Where the object lives, for kinds that live in namespaces. It cannot be changed.',
  ownerReferences: 'Objects that this one belongs to. When all of them are gone, it goes, too.',
  resourceVersion: 'Changes with every write. A client that sends it back changes only what it has seen.',
  selfLink: 'Not used any more.',
  uid: 'Unique for all time, also among objects of the same name that came one after the other. Read-only.',
};

/** A definition of metadata with what its fields are for. */
export function describedMetadata(definition: RawSchema): RawSchema {
  const properties = Object.entries((definition['properties'] ?? {}) as Record<string, JsonObject>);
  const described = properties.map(([name, schema]) => [name, { ...schema, ...descriptionOf(name) }]);
  return { ...definition, properties: Object.fromEntries(described) };
}

function descriptionOf(name: string): JsonObject {
  return Object.hasOwn(ofMetadata, name) ? { description: ofMetadata[name] } : {};
}
