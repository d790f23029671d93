import { type FieldError, invalid } from '@holdfast/base/field-errors';
import type { Schema } from '../kinds/schema.ts';
import type { Strategy } from '../kinds/strategy.ts';
import { clone, type KubeObject } from '../objects.ts';
import { celRuleErrors } from '../schema/cel-rules.ts';
import { applySchemaDefaults } from '../schema/defaults.ts';
import { embeddedResourceErrors } from '../schema/embedded.ts';
import { getOwn, isJsonObject } from '../schema/json-values.ts';
import { listTypeErrors } from '../schema/list-types.ts';
import { noField } from '../schema/result.ts';
import { validateSchema } from '../schema/validate.ts';
import type { CrdVersion, ScalePaths } from './crd.ts';
import { findAll, parseJsonPath } from './json-path.ts';

/** The rules of custom resources: all of them come from the schema of their version. */
export function customStrategy(version: CrdVersion): Strategy {
  const schema = (version.schema?.openAPIV3Schema ?? {}) as Schema;
  const hasStatus = version.subresources?.status !== undefined;
  const scale = version.subresources?.scale;
  const selectable = (version.selectableFields ?? []).map(({ jsonPath }) => ({
    name: jsonPath.replace(/^\./, ''),
    path: parseJsonPath(jsonPath) ?? [],
  }));
  return {
    applyDefaults: (draft) => applySchemaDefaults(draft, schema),
    prepareForCreate(draft) {
      if (hasStatus) delete draft['status'];
    },
    prepareForUpdate(draft, old) {
      if (!hasStatus) return;
      if (old['status'] === undefined) delete draft['status'];
      else draft['status'] = clone(old['status']);
    },
    validate: (object) => objectErrors(object, undefined, schema, scale),
    validateUpdate: (object, old) => objectErrors(object, old, schema, scale),
    ratchets: true,
    validateSubresource: (subresource, object, old) =>
      subresource === 'status' ? statusErrors(object, old, schema, scale) : [],
    warnings: finalizerWarnings,
    selectableFields: (object) =>
      Object.fromEntries(selectable.map(({ name, path }) => [name, textOf(findAll(object, path)[0])])),
    requiresResourceVersion: true,
  };
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

function objectErrors(
  object: KubeObject,
  old: KubeObject | undefined,
  schema: Schema,
  scale: ScalePaths | undefined,
): readonly FieldError[] {
  const errors = [
    ...validateSchema(object, schema, old === undefined ? {} : { old }),
    ...scaleErrors(object, scale, true),
    ...embeddedResourceErrors(object, schema),
  ];
  return withRules(errors, object, old, schema);
}

/** The status is checked as a document of its own, and named as part of the object only afterwards. */
function statusErrors(
  object: KubeObject,
  old: KubeObject,
  schema: Schema,
  scale: ScalePaths | undefined,
): readonly FieldError[] {
  const part = getOwn(schema.properties, 'status');
  const found =
    part && object['status'] !== undefined ? validateSchema(object['status'], part, { old: old['status'] }) : [];
  const errors = found.map((error) => ({
    ...error,
    field: error.field === noField ? 'status' : `status.${error.field}`,
  }));
  return withRules([...errors, ...scaleErrors(object, scale, false)], object, old, schema);
}

const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Rules may rely on the schema, so they are asked only about objects that fit it. */
function withRules(
  errors: readonly FieldError[],
  object: KubeObject,
  old: KubeObject | undefined,
  schema: Schema,
): readonly FieldError[] {
  const ratcheted = old !== undefined && listTypeErrors(old, schema).length > 0;
  const all = ratcheted ? errors : [...errors, ...listTypeErrors(object, schema)];
  if (!all.some((error) => blocking.has(error.type))) return [...all, ...celRuleErrors(object, old, schema)];
  const detail =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return [...all, invalid(noField, null, detail)];
}

const maxInt32 = 2_147_483_647;

function scaleErrors(object: KubeObject, scale: ScalePaths | undefined, ofSpec: boolean): FieldError[] {
  if (!scale) return [];
  const paths = ofSpec ? [scale.specReplicasPath, scale.statusReplicasPath] : [scale.statusReplicasPath];
  return paths.flatMap((path) => {
    const [value = 0] = findAll(object, parseJsonPath(path) ?? []);
    if (value === null) return [];
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      const type = Array.isArray(value)
        ? '[]interface {}'
        : isJsonObject(value)
          ? 'map[string]interface {}'
          : typeof value;
      return [invalid(path, 0, `${path} accessor error: ${String(value)} is of the type ${type}, expected int64`)];
    }
    if (value < 0) return [invalid(path, value, 'should be a non-negative integer')];
    return value > maxInt32 ? [invalid(path, value, `should be less than or equal to ${maxInt32}`)] : [];
  });
}

const standardFinalizers = ['orphan', 'foregroundDeletion', 'kubernetes'];

function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const before = old?.metadata.finalizers ?? [];
  const added = (object.metadata.finalizers ?? []).filter((name) => !before.includes(name));
  return added
    .filter((name) => !name.includes('/') && !standardFinalizers.includes(name))
    .map((name) => {
      const better = name.includes('.') ? 'finalizer name including a path (/)' : 'finalizer name';
      const why = `prefer a domain-qualified ${better} to avoid accidental conflicts with other finalizer writers`;
      return `metadata.finalizers: "${name}": ${why}`;
    });
}
