import type { ResourceType, SubresourceType } from '../kinds/resource-type.ts';
import type { JsonObject } from '../objects.ts';
import { pathOfVersion } from './served-groups.ts';

/** The `paths` of an OpenAPI document: which requests a resource takes, and with which parameters. */

/** Names the definition of a kind, if there is one. */
export type DefinitionName = (group: string, version: string, kind: string) => string | undefined;

interface Target {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly definition: string | undefined;
  readonly list: string | undefined;
  readonly patches: readonly string[];
}

interface Action {
  readonly method: string;
  readonly action: string;
  readonly parameters: readonly string[];
  readonly body?: 'object' | 'options' | 'patch';
  readonly answer: 'object' | 'list' | 'status';
  readonly codes: readonly string[];
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const writing = ['dryRun', 'fieldManager', 'fieldValidation'];
const selecting = ['continue', 'fieldSelector', 'labelSelector', 'limit', 'resourceVersion', 'resourceVersionMatch'];
const listing = ['allowWatchBookmarks', ...selecting, 'sendInitialEvents', 'timeoutSeconds', 'watch'];
const deleting = ['dryRun', 'gracePeriodSeconds', 'orphanDependents', 'propagationPolicy'];
const booleans = new Set(['allowWatchBookmarks', 'force', 'orphanDependents', 'sendInitialEvents', 'watch']);
const integers = new Set(['gracePeriodSeconds', 'limit', 'timeoutSeconds']);

const list: Action = { method: 'get', action: 'list', parameters: listing, answer: 'list', codes: ['200'] };

const collectionActions: Readonly<Record<string, Action>> = {
  list,
  create: {
    method: 'post',
    action: 'post',
    parameters: writing,
    body: 'object',
    answer: 'object',
    codes: ['200', '201', '202'],
  },
  deletecollection: {
    method: 'delete',
    action: 'deletecollection',
    parameters: [...deleting, ...selecting],
    body: 'options',
    answer: 'status',
    codes: ['200'],
  },
};

const itemActions: Readonly<Record<string, Action>> = {
  get: { method: 'get', action: 'get', parameters: [], answer: 'object', codes: ['200'] },
  update: {
    method: 'put',
    action: 'put',
    parameters: writing,
    body: 'object',
    answer: 'object',
    codes: ['200', '201'],
  },
  patch: {
    method: 'patch',
    action: 'patch',
    parameters: [...writing, 'force'],
    body: 'patch',
    answer: 'object',
    codes: ['200', '201'],
  },
  delete: {
    method: 'delete',
    action: 'delete',
    parameters: deleting,
    body: 'options',
    answer: 'status',
    codes: ['200', '202'],
  },
};

const subresourceActions = { ...itemActions, create: collectionActions['create'] as Action };

export function pathsOf(types: readonly ResourceType[], nameOf: DefinitionName): JsonObject {
  return Object.fromEntries(types.flatMap((type) => pathsOfType(type, nameOf)));
}

function pathsOfType(type: ResourceType, nameOf: DefinitionName): (readonly [string, JsonObject])[] {
  const root = `/${pathOfVersion(type.group, type.version)}`;
  const collection = `${root}${type.namespaced ? '/namespaces/{namespace}' : ''}/${type.plural}`;
  const inPath = type.namespaced ? ['namespace'] : [];
  const target = targetOf(type, undefined, nameOf);
  const acrossNamespaces = type.namespaced && type.verbs.includes('list');
  return [
    pathItem(collection, operations(type.verbs, collectionActions, target), inPath),
    pathItem(`${collection}/{name}`, operations(type.verbs, itemActions, target), ['name', ...inPath]),
    ...[...type.subresources.values()].map((subresource) =>
      pathItem(
        `${collection}/{name}/${subresource.name}`,
        operations(subresource.verbs, subresourceActions, targetOf(type, subresource, nameOf)),
        ['name', ...inPath],
      ),
    ),
    ...(acrossNamespaces ? [pathItem(`${root}/${type.plural}`, { get: operation(list, target) }, [])] : []),
  ].filter(([, item]) => Object.keys(item).length > 1);
}

function targetOf(type: ResourceType, subresource: SubresourceType | undefined, nameOf: DefinitionName): Target {
  const group = subresource?.group ?? type.group;
  const version = subresource?.version ?? type.version;
  const { kind } = subresource ?? type;
  const strategic = type.custom === undefined ? ['application/strategic-merge-patch+json'] : [];
  return {
    group,
    version,
    kind,
    definition: nameOf(group, version, kind),
    list: nameOf(type.group, type.version, type.listKind),
    patches: [
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
      ...strategic,
    ],
  };
}

function pathItem(path: string, methods: JsonObject, inPath: readonly string[]): readonly [string, JsonObject] {
  const parameters = [
    ...inPath.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    queryParameter('pretty'),
  ];
  return [path, { ...methods, parameters }];
}

function operations(verbs: readonly string[], actions: Readonly<Record<string, Action>>, target: Target): JsonObject {
  return Object.fromEntries(
    Object.entries(actions)
      .filter(([verb]) => verbs.includes(verb))
      .map(([, action]) => [action.method, operation(action, target)]),
  );
}

function operation(action: Action, target: Target): JsonObject {
  const { group, version, kind } = target;
  return {
    // Clients that read the document and write it again leave out what is empty, and so does the real server.
    ...(action.parameters.length > 0 ? { parameters: action.parameters.map(queryParameter) } : {}),
    ...(action.body ? { requestBody: requestBody(action.body, target) } : {}),
    responses: responses(action, target),
    // Options of a stream have no definition: such a request opens a connection instead of reading or writing an object.
    'x-kubernetes-action': target.definition === undefined ? 'connect' : action.action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}

function queryParameter(name: string): JsonObject {
  const type = booleans.has(name) ? 'boolean' : integers.has(name) ? 'integer' : 'string';
  return { name, in: 'query', schema: { type, uniqueItems: true } };
}

function requestBody(body: NonNullable<Action['body']>, target: Target): JsonObject {
  if (body === 'options') return { content: { '*/*': { schema: reference(`${meta}.DeleteOptions`) } } };
  if (body === 'object') return { content: { '*/*': { schema: reference(target.definition) } }, required: true };
  const patch = { schema: reference(`${meta}.Patch`) };
  return { content: Object.fromEntries(target.patches.map((type) => [type, patch])), required: true };
}

function responses({ answer, codes }: Action, target: Target): JsonObject {
  const definition = { object: target.definition, list: target.list, status: `${meta}.Status` }[answer];
  const content = { 'application/json': { schema: reference(definition) } };
  const texts: Readonly<Record<string, string>> = { '200': 'OK', '201': 'Created', '202': 'Accepted' };
  return {
    ...Object.fromEntries(codes.map((code) => [code, { description: texts[code], content }])),
    '401': { description: 'Unauthorized' },
  };
}

function reference(definition: string | undefined): JsonObject {
  return definition === undefined ? { type: 'string' } : { $ref: definition };
}
