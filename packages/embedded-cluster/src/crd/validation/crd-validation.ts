import { type FieldError, invalid, notSupported, required } from '@holdfast/base/field-errors';
import { equalJson } from '../../schema/json-values.ts';
import { dns1035Problem, dns1123SubdomainProblem } from '../../schema/schema-names.ts';
import { type Crd, type CrdSpec, type CrdVersion, crdHasCondition } from '../crd.ts';
import { conversionErrors } from './crd-conversion-validation.ts';
import { columnErrors, selectableFieldErrors, subresourceErrors } from './crd-parts-validation.ts';
import { crdSchemaErrors } from './crd-schema-validation.ts';

export function validateCrd(crd: Crd): FieldError[] {
  return [
    ...nameErrors(crd),
    ...specErrors(crd.spec),
    ...storedVersionErrors(crd),
    ...approvalErrors(crd),
    ...preserveErrors(crd.spec),
  ];
}

const immutable = 'field is immutable';

export function validateCrdUpdate(crd: Crd, old: Crd): FieldError[] {
  const errors = [...specErrors(crd.spec)];
  const keep = (field: string, now: unknown, before: unknown) => {
    if (now !== before) errors.push(invalid(field, now, immutable));
  };
  if (crdHasCondition(old, 'Established')) {
    keep('spec.scope', crd.spec.scope, old.spec.scope);
    keep('spec.names.kind', crd.spec.names.kind, old.spec.names.kind);
  }
  keep('spec.group', crd.spec.group, old.spec.group);
  keep('spec.names.plural', crd.spec.names.plural, old.spec.names.plural);
  if (old.spec.preserveUnknownFields !== true) errors.push(...preserveErrors(crd.spec));
  return [...errors, ...storedVersionErrors(crd)];
}

function nameErrors(crd: Crd): FieldError[] {
  const { name } = crd.metadata;
  const wanted = `${crd.spec.names.plural ?? ''}.${crd.spec.group ?? ''}`;
  return name === wanted ? [] : [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function preserveErrors(spec: CrdSpec): FieldError[] {
  if (spec.preserveUnknownFields !== true) return [];
  return [
    invalid(
      'spec.preserveUnknownFields',
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ),
  ];
}

function specErrors(spec: CrdSpec): FieldError[] {
  const { versions } = spec;
  return [
    ...groupErrors(spec.group),
    ...scopeErrors(spec.scope),
    ...versions.flatMap((version, index) => missingSchemaErrors(version, index)),
    ...versionErrors(versions),
    ...namesErrors(spec.names),
    ...sharedParts(versions),
    ...conversionErrors(spec.conversion),
  ];
}

function groupErrors(group: string | undefined): FieldError[] {
  if (!group) return [required('spec.group', '')];
  const problem = dns1123SubdomainProblem(group);
  if (problem !== undefined) return [invalid('spec.group', group, problem)];
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

const scopes = ['Cluster', 'Namespaced'];

function scopeErrors(scope: string | undefined): FieldError[] {
  if (!scope) return [required('spec.scope', '')];
  return scopes.includes(scope) ? [] : [notSupported('spec.scope', scope, scopes)];
}

function missingSchemaErrors(version: CrdVersion, index: number): FieldError[] {
  return version.schema?.openAPIV3Schema ? [] : [required(`spec.versions[${index}].schema.openAPIV3Schema`, '')];
}

function versionErrors(versions: readonly CrdVersion[]): FieldError[] {
  const errors = versions.flatMap((version, index) => {
    const problem = dns1035Problem(version.name ?? '');
    const own = problem === undefined ? [] : [invalid(`spec.versions[${index}].name`, version.name ?? '', problem)];
    return [...own, ...deprecationErrors(version, `spec.versions[${index}].deprecationWarning`)];
  });
  if (new Set(versions.map((version) => version.name)).size < versions.length) {
    errors.push(invalid('spec.versions', versions, 'must contain unique version names'));
  }
  if (versions.filter((version) => version.storage).length !== 1) {
    errors.push(invalid('spec.versions', versions, 'must have exactly one version marked as storage version'));
  }
  return errors;
}

const maxWarning = 256;

function deprecationErrors(version: CrdVersion, field: string): FieldError[] {
  const { deprecationWarning: warning } = version;
  if (warning === undefined) return [];
  if (version.deprecated !== true) return [invalid(field, warning, 'can only be set for deprecated versions')];
  if (warning.length > maxWarning) return [invalid(field, warning, `must be <= ${maxWarning} characters long`)];
  return warning === '' ? [invalid(field, warning, 'must not be an empty string')] : [];
}

function namesErrors(names: CrdSpec['names']): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ['plural', 'singular', 'kind', 'listKind'] as const) {
    const name = names[key] ?? '';
    const field = `spec.names.${key}`;
    if (name === '') errors.push(required(field, ''));
    else errors.push(...nameSyntaxErrors(field, name, key === 'kind' || key === 'listKind'));
  }
  for (const key of ['shortNames', 'categories'] as const) {
    for (const [index, name] of (names[key] ?? []).entries()) {
      errors.push(...nameSyntaxErrors(`spec.names.${key}[${index}]`, name, false));
    }
  }
  if (names.kind && names.kind === names.listKind) {
    errors.push(invalid('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'));
  }
  return errors;
}

function nameSyntaxErrors(field: string, name: string, mixedCase: boolean): FieldError[] {
  const problem = dns1035Problem(mixedCase ? name.toLowerCase() : name);
  if (problem === undefined) return [];
  return [invalid(field, name, mixedCase ? `may have mixed case, but should otherwise match: ${problem}` : problem)];
}

/**
 * What all versions have in common is one thing to the real server and stands above the versions in its texts. That is always so for
 * a single version.
 */
function sharedParts(versions: readonly CrdVersion[]): FieldError[] {
  const statusAnywhere = versions.some((version) => version.subresources?.status !== undefined);
  const shared = (part: (version: CrdVersion) => unknown) =>
    versions.every((version) => part(version) !== undefined && equalJson(part(version), part(versions[0] ?? version)));
  const once = {
    schema: shared((version) => version.schema),
    subresources: shared((version) => version.subresources),
    columns: shared((version) => version.additionalPrinterColumns),
    fields: shared((version) => version.selectableFields),
  };
  return versions.flatMap((version, index) => {
    const own = `spec.versions[${index}]`;
    const at = (isShared: boolean, ownField: string, sharedField: string) =>
      !isShared ? [`${own}.${ownField}`] : index === 0 ? [`spec.${sharedField}`] : [];
    const status = once.schema ? statusAnywhere : version.subresources?.status !== undefined;
    return [
      ...at(once.schema, 'schema', 'validation').flatMap((field) => crdSchemaErrors(version, field, status)),
      ...at(once.subresources, 'subresources', 'subresources').flatMap((field) => subresourceErrors(version, field)),
      ...at(once.columns, 'additionalPrinterColumns', 'additionalPrinterColumns').flatMap((field) =>
        columnErrors(version, field),
      ),
      ...at(once.fields, 'selectableFields', 'selectableFields').flatMap((field) =>
        selectableFieldErrors(version, field),
      ),
    ];
  });
}

function storedVersionErrors(crd: Crd): FieldError[] {
  const stored = crd.status?.storedVersions ?? [];
  const field = 'status.storedVersions';
  if (stored.length === 0) return [invalid(field, stored, 'must have at least one stored version')];
  const errors: FieldError[] = [];
  for (const version of crd.spec.versions) {
    if (version.storage && !stored.includes(version.name)) {
      errors.push(invalid(field, stored, `must have the storage version ${version.name}`));
    }
  }
  for (const [index, name] of stored.entries()) {
    if (crd.spec.versions.some((version) => version.name === name)) continue;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(`${field}[${index}]`, name, detail));
  }
  return errors;
}

/** Protected groups need an approval; without one the real server refuses them. */
function approvalErrors(crd: Crd): FieldError[] {
  const { group } = crd.spec;
  const isProtected = ['k8s.io', 'kubernetes.io'].some((suffix) => group === suffix || group?.endsWith(`.${suffix}`));
  if (!isProtected) return [];
  const annotation = 'api-approved.kubernetes.io';
  const field = `metadata.annotations[${annotation}]`;
  const value = crd.metadata.annotations?.[annotation];
  if (value === undefined || value === '') {
    const where = 'see https://github.com/kubernetes/enhancements/pull/1111';
    return [required(field, `protected groups must have approval annotation "${annotation}", ${where}`)];
  }
  if (value.startsWith('unapproved') || /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/\s]/.test(value)) return [];
  const detail = `protected groups must have approval annotation "${annotation}" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`;
  return [invalid(field, value, detail)];
}
