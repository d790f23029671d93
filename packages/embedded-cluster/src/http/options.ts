import { type FieldError, invalid, notSupported } from '@holdfast/base/field-errors';
import type { User } from '../auth/user.ts';
import { badRequest, invalidObject } from '../errors.ts';
import type { JsonObject } from '../objects.ts';
import type { DeletionOptions } from '../registry/deletion.ts';
import type { FieldValidation, WriteContext } from '../registry/write-context.ts';

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

const maxManagerLength = 128;

/** Options of a write, from the query. */
export function writeContext(
  user: User,
  query: URLSearchParams,
  userAgent: string,
  kind: OptionsKind,
  warnings: string[],
): WriteContext {
  const dryRun = readDryRun(query.getAll('dryRun'), kind);
  const fieldManager = query.get('fieldManager') ?? '';
  checkManager(fieldManager, kind);
  const fieldValidation = query.get('fieldValidation') ?? '';
  return {
    user,
    dryRun,
    fieldManager: fieldManager === '' && kind !== 'PatchOptions' ? managerOf(userAgent) : fieldManager,
    fieldValidation: readFieldValidation(fieldValidation, kind),
    warnings,
    options: {
      kind,
      apiVersion: 'meta.k8s.io/v1',
      ...(dryRun ? { dryRun: ['All'] } : {}),
      ...(fieldManager === '' ? {} : { fieldManager }),
      ...(fieldValidation === '' ? {} : { fieldValidation }),
      ...(kind === 'PatchOptions' && query.has('force') ? { force: query.get('force') === 'true' } : {}),
    },
  };
}

function checkManager(fieldManager: string, kind: OptionsKind): void {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(fieldManager) > maxManagerLength) {
    const detail = `may not be more than ${maxManagerLength} bytes`;
    errors.push({ type: 'FieldValueTooLong', field: 'fieldManager', detail });
  }
  const at = fieldManager.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (at >= 0) {
    const code = (fieldManager.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const detail = `invalid character U+${code} (at position ${at})`;
    errors.push({ type: 'FieldValueInvalid', field: 'fieldManager', value: fieldManager, detail });
  }
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, '', errors);
}

/** A manager that gives no name is known by its program's: what stands before the slash. */
export function managerOf(userAgent: string): string {
  return userAgent.split('/')[0]?.slice(0, maxManagerLength) || 'unknown';
}

function readDryRun(values: readonly string[], kind: string): boolean {
  if (values.some((value) => value !== 'All' && value !== '')) {
    throw invalidObject({ group: 'meta.k8s.io', kind }, '', [notSupported('dryRun', values, ['All'])]);
  }
  return values.includes('All');
}

function readFieldValidation(value: string, kind: string): FieldValidation {
  if (value === '') return 'Warn';
  if (value === 'Strict' || value === 'Warn' || value === 'Ignore') return value;
  throw invalidObject({ group: 'meta.k8s.io', kind }, '', [
    notSupported('fieldValidation', value, ['', 'Ignore', 'Strict', 'Warn']),
  ]);
}

export interface DeleteBody {
  readonly options: DeletionOptions;
  readonly dryRun: boolean;
  /** As webhooks see it. */
  readonly raw: JsonObject;
}

const propagationPolicies = ['Background', 'Foreground', 'Orphan'] as const;

const deleteFieldTypes: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['dryRun', (value) => Array.isArray(value) && value.every((item) => typeof item === 'string')],
  ['preconditions', (value) => typeof value === 'object' && !Array.isArray(value)],
];

/** DeleteOptions come in the body, or, field by field, in the query. */
export function readDeleteOptions(body: unknown, query: URLSearchParams): DeleteBody {
  const source = body === undefined || body === null ? fromQuery(query) : asOptions(body);
  const propagationPolicy = readPropagation(source);
  const preconditions = (source['preconditions'] ?? {}) as { uid?: unknown; resourceVersion?: unknown };
  const grace = source['gracePeriodSeconds'];
  if (grace !== undefined && grace !== null && (typeof grace !== 'number' || !Number.isInteger(grace))) {
    throw badRequest('gracePeriodSeconds must be an integer');
  }
  for (const [field, fits] of deleteFieldTypes) {
    const value = source[field];
    if (value !== undefined && value !== null && !fits(value))
      throw badRequest(`DeleteOptions.${field} is of a wrong type`);
  }
  const dryRun = readDryRun(
    [...query.getAll('dryRun'), ...((source['dryRun'] as string[] | undefined) ?? [])],
    'DeleteOptions',
  );
  return {
    options: {
      ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
      ...(propagationPolicy ? { propagationPolicy } : {}),
      ...(typeof preconditions.uid === 'string' ? { uid: preconditions.uid } : {}),
      ...(typeof preconditions.resourceVersion === 'string' ? { resourceVersion: preconditions.resourceVersion } : {}),
    },
    dryRun,
    raw: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...source, ...(dryRun ? { dryRun: ['All'] } : {}) },
  };
}

function asOptions(body: unknown): JsonObject {
  if (typeof body !== 'object' || Array.isArray(body)) throw badRequest('the body of a DELETE must be DeleteOptions');
  const source = body as JsonObject;
  if (source['kind'] !== undefined && source['kind'] !== 'DeleteOptions') {
    throw badRequest(`the body of a DELETE must be DeleteOptions, not ${String(source['kind'])}`);
  }
  return source;
}

function fromQuery(query: URLSearchParams): JsonObject {
  const grace = query.get('gracePeriodSeconds');
  if (grace !== null && !/^-?[0-9]+$/.test(grace)) throw badRequest('gracePeriodSeconds must be an integer');
  const policy = query.get('propagationPolicy');
  return {
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(query.get('orphanDependents') === 'true' ? { orphanDependents: true } : {}),
  };
}

function readPropagation(source: JsonObject): DeletionOptions['propagationPolicy'] {
  const policy = source['propagationPolicy'];
  if (policy !== undefined && policy !== null && typeof source['orphanDependents'] === 'boolean') {
    throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [
      invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    ]);
  }
  if (policy === undefined || policy === null) {
    if (source['orphanDependents'] === true) return 'Orphan';
    return source['orphanDependents'] === false ? 'Background' : undefined;
  }
  const known = propagationPolicies.find((name) => name === policy);
  if (known) return known;
  throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [
    notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']),
  ]);
}
