import { type FieldError, invalid, notSupported, required } from '@holdfast/base/field-errors';
import { isThere, textAt, textsAt } from '../../kinds/builtin/checks/read.ts';
import type { JsonObject } from '../../objects.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

/** One rule of a webhook. */
export function webhookRuleErrors(rule: JsonObject, path: string): readonly FieldError[] {
  const versions = textsAt(rule, 'apiVersions');
  const scope = textAt(rule, 'scope');
  return [
    ...listErrors(rule, 'operations', path, 'operations'),
    ...textsAt(rule, 'operations').flatMap((operation, index) =>
      operations.includes(operation) ? [] : [notSupported(`${path}.operations[${index}]`, operation, operations)],
    ),
    ...listErrors(rule, 'apiGroups', path, 'API groups'),
    ...listErrors(rule, 'apiVersions', path, 'API versions'),
    ...versions.flatMap((version, index) => (version === '' ? [required(`${path}.apiVersions[${index}]`, '')] : [])),
    ...resourceErrors(textsAt(rule, 'resources'), `${path}.resources`),
    ...(isThere(rule['scope']) && !scopes.includes(scope) ? [notSupported(`${path}.scope`, scope, scopes)] : []),
  ];
}

function listErrors(rule: JsonObject, key: string, path: string, what: string): readonly FieldError[] {
  const items = textsAt(rule, key);
  const field = `${path}.${key}`;
  if (items.length === 0) return [required(field, '')];
  if (items.length === 1 || !items.includes('*')) return [];
  return [invalid(field, items, `if '*' is present, must not specify other ${what}`)];
}

/** Wildcards leave nothing to add to them. */
function resourceErrors(resources: readonly string[], path: string): readonly FieldError[] {
  if (resources.length === 0) return [required(path, '')];
  const errors: FieldError[] = [...subresourceErrors(resources, path)];
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  const plain = resources.filter((resource) => resource !== '' && !resource.includes('/'));
  // Only the last plain name counts, as on the real server.
  if (plain.includes('*') && plain.at(-1) !== '*') {
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
  }
  return errors;
}

function subresourceErrors(resources: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const anySubresourceOf = new Set<string>();
  const subresourceOfAny = new Set<string>();
  for (const [index, pattern] of resources.entries()) {
    const field = `${path}[${index}]`;
    if (pattern === '') errors.push(required(field, ''));
    const slash = pattern.indexOf('/');
    if (slash < 0) continue;
    const resource = pattern.slice(0, slash);
    const subresource = pattern.slice(slash + 1);
    if (anySubresourceOf.has(resource)) {
      errors.push(invalid(field, pattern, `if '${resource}/*' is present, must not specify ${pattern}`));
    }
    if (subresourceOfAny.has(subresource)) {
      errors.push(invalid(field, pattern, `if '*/${subresource}' is present, must not specify ${pattern}`));
    }
    if (subresource === '*') anySubresourceOf.add(resource);
    if (resource === '*') subresourceOfAny.add(subresource);
  }
  return errors;
}
