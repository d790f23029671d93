import { type FieldError, forbidden, invalid, required } from '@holdfast/base/field-errors';
import { sameJson } from '@holdfast/base/json';
import type { JsonObject, Metadata } from '../../../objects.ts';
import { splitApiVersion } from '../../../objects.ts';
import { isImmutable, notNegativeFields, tooLong, unchanged } from './field-checks.ts';
import { labelErrors } from './labels.ts';
import { dnsLabelName, type NameProblem } from './object-names.ts';
import { objectsAt, pairsAt, textAt, textsAt } from './read.ts';
import { labelKeyProblems } from './syntax.ts';

export interface MetadataRules {
  readonly namespaced: boolean;
  readonly nameProblem: NameProblem;
}

/** All annotations of an object together, keys and values. */
const maxAnnotationBytes = 256 * 1024;

/** What holds for the metadata of every new object, custom kinds included. */
export function validateMetadata(meta: Metadata, rules: MetadataRules): readonly FieldError[] {
  return [...nameErrors(meta, rules.nameProblem), ...namespaceErrors(meta, rules.namespaced), ...commonErrors(meta)];
}

export function validateMetadataUpdate(meta: Metadata, old: Metadata): readonly FieldError[] {
  const now = fields(meta);
  return [
    ...newFinalizerErrors(meta, old),
    ...(textAt(now, 'resourceVersion') === ''
      ? [invalid('metadata.resourceVersion', textAt(now, 'resourceVersion'), 'must be specified for an update')]
      : []),
    ...generationErrors(meta, old),
    ...unchanged('metadata.name', meta.name, old.name),
    ...unchanged('metadata.namespace', meta.namespace, old.namespace),
    ...serverOwned.flatMap((key) => ownedErrors(key, now, fields(old))),
    ...labelErrors(now, 'labels', 'metadata.labels'),
    ...annotationErrors(now, 'metadata.annotations'),
    ...ownerErrors(now),
  ];
}

const serverOwned = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

function ownedErrors(key: string, now: JsonObject, before: JsonObject): readonly FieldError[] {
  return sameJson(now[key], before[key]) ? [] : [invalid(`metadata.${key}`, now[key] ?? null, isImmutable)];
}

function fields(meta: Metadata): JsonObject {
  return meta as unknown as JsonObject;
}

function nameErrors(meta: Metadata, nameProblem: NameProblem): readonly FieldError[] {
  const errors: FieldError[] = [];
  const prefix = textAt(fields(meta), 'generateName');
  if (prefix !== '') {
    const problem = nameProblem(withoutTrailingDash(prefix));
    if (problem !== undefined) errors.push(invalid('metadata.generateName', prefix, problem));
  }
  const name = textAt(fields(meta), 'name');
  if (name === '') return [...errors, required('metadata.name', 'name or generateName is required')];
  const problem = nameProblem(name);
  if (problem !== undefined) errors.push(invalid('metadata.name', name, problem));
  return errors;
}

/** The server appends letters to the prefix, so that its last dash is an inner one. */
function withoutTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
}

function namespaceErrors(meta: Metadata, namespaced: boolean): readonly FieldError[] {
  const namespace = textAt(fields(meta), 'namespace');
  if (!namespaced) return namespace === '' ? [] : [forbidden('metadata.namespace', 'not allowed on this type')];
  if (namespace === '') return [required('metadata.namespace', '')];
  const problem = dnsLabelName(namespace);
  return problem === undefined ? [] : [invalid('metadata.namespace', namespace, problem)];
}

function commonErrors(meta: Metadata): readonly FieldError[] {
  const now = fields(meta);
  return [
    ...notNegativeFields(now, 'metadata', ['generation']),
    ...labelErrors(now, 'labels', 'metadata.labels'),
    ...annotationErrors(now, 'metadata.annotations'),
    ...ownerErrors(now),
    ...finalizerErrors(now),
  ];
}

export function annotationErrors(parent: JsonObject | undefined, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of pairsAt(parent, 'annotations')) {
    for (const problem of labelKeyProblems(key.toLowerCase())) errors.push(invalid(path, key, problem));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > maxAnnotationBytes) errors.push(tooLong(path, maxAnnotationBytes));
  return errors;
}

function ownerErrors(meta: JsonObject): readonly FieldError[] {
  const path = 'metadata.ownerReferences';
  const owners = objectsAt(meta, 'ownerReferences');
  const errors: FieldError[] = [];
  let controller = '';
  for (const [index, owner] of owners.entries()) {
    errors.push(...ownerFieldErrors(owner, `${path}[${index}]`));
    if (owner['controller'] !== true) continue;
    const name = `${textAt(owner, 'kind')}/${textAt(owner, 'name')}`;
    if (controller === '') controller = name;
    else
      errors.push(
        invalid(
          path,
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
        ),
      );
  }
  return errors;
}

function ownerFieldErrors(owner: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const apiVersion = textAt(owner, 'apiVersion');
  if (apiVersion === '') errors.push(required(`${path}.apiVersion`, 'must not be empty'));
  else if (!isGroupVersion(apiVersion)) {
    errors.push(invalid(`${path}.apiVersion`, apiVersion, 'must be <group>/<version> or <version>'));
  }
  for (const key of ['kind', 'name', 'uid']) {
    if (textAt(owner, key) === '') errors.push(required(`${path}.${key}`, 'must not be empty'));
  }
  if (apiVersion === 'v1' && textAt(owner, 'kind') === 'Event') {
    errors.push(invalid(path, owner, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}

function isGroupVersion(apiVersion: string): boolean {
  const { version } = splitApiVersion(apiVersion);
  return version !== '' && !version.includes('/');
}

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

function finalizerErrors(meta: JsonObject): readonly FieldError[] {
  const path = 'metadata.finalizers';
  const finalizers = textsAt(meta, 'finalizers');
  const errors = finalizers.flatMap((name) => labelKeyProblems(name).map((problem) => invalid(path, name, problem)));
  if (finalizers.includes(orphan) && finalizers.includes(foreground)) {
    errors.push(invalid(path, finalizers, `finalizer ${orphan} and ${foreground} cannot be both set`));
  }
  return errors;
}

function newFinalizerErrors(meta: Metadata, old: Metadata): readonly FieldError[] {
  if (old.deletionTimestamp === undefined) return [];
  const before = new Set(textsAt(fields(old), 'finalizers'));
  const added = [...new Set(textsAt(fields(meta), 'finalizers'))].filter((name) => !before.has(name)).sort();
  if (added.length === 0) return [];
  const list = added.map((name) => JSON.stringify(name)).join(', ');
  return [
    forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
}

function generationErrors(meta: Metadata, old: Metadata): readonly FieldError[] {
  const generation = meta.generation ?? 0;
  const errors = notNegativeFields(fields(meta), 'metadata', ['generation']);
  if (generation >= (old.generation ?? 0)) return errors;
  return [...errors, invalid('metadata.generation', generation, 'must not be decremented')];
}
