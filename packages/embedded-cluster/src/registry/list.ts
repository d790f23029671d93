import { type FieldError, forbidden, notSupported } from '@holdfast/base/field-errors';
import { ApiError, badRequest, expired, invalidObject } from '../errors.ts';
import type { ResourceType } from '../kinds/resource-type.ts';
import { objectKey } from '../objects.ts';
import type { Stored } from '../store/store.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import type { Registry } from './registry.ts';
import { matcherFor, nameIn } from './selectors.ts';

export interface ListQuery {
  readonly type: ResourceType;
  /** '' for all namespaces. */
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
}

export interface ListResult {
  readonly items: readonly Stored[];
  readonly revision: number;
  readonly continueToken: string;
  readonly remaining: number | undefined;
}

/** One collection, or a page of it, as it was at one moment. */
export function listObjects(registry: Registry, query: ListQuery): ListResult {
  checkVersionMatch(query);
  const matches = matcherFor(query.type, query.labelSelector, query.fieldSelector);
  if (query.continueToken !== '') return nextPage(registry, query, matches);
  const wanted = listRevisionOf(query.resourceVersion);
  if (wanted > registry.store.revision) throw tooNew(wanted, registry.store.revision);
  const exact = isExact(query, wanted);
  const revision = exact ? wanted : registry.store.revision;
  if (query.limit > 0 || exact) return page(registry, query, revision, undefined, matches);
  return { items: whole(registry, query, matches), revision, continueToken: '', remaining: undefined };
}

/** A page of a revision that was named without saying how it is meant is of that very revision. */
function isExact({ resourceVersionMatch, limit }: ListQuery, wanted: number): boolean {
  return resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0 && wanted > 0);
}

function whole(registry: Registry, query: ListQuery, matches: ReturnType<typeof matcherFor>): readonly Stored[] {
  const name = nameIn(query.fieldSelector);
  if (name !== undefined && (query.namespace !== '' || !query.type.namespaced)) {
    const one = registry.store.get(query.type.key, objectKey(query.namespace, name));
    return one && matches?.(one.object) !== false ? [one] : [];
  }
  const all = registry.store.list(query.type.key, query.namespace === '' ? undefined : query.namespace);
  return matches === undefined ? all : all.filter((stored) => matches(stored.object));
}

function nextPage(registry: Registry, query: ListQuery, matches: ReturnType<typeof matcherFor>): ListResult {
  if (query.resourceVersion !== '' && query.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const token = decodeContinue(query.continueToken);
  // A token without a revision goes on from now: the client has accepted that its pages do not fit together.
  const revision = token.revision > 0 ? token.revision : registry.store.revision;
  return page(registry, query, revision, token.after, matches);
}

function page(
  registry: Registry,
  query: ListQuery,
  revision: number,
  after: string | undefined,
  matches: ReturnType<typeof matcherFor>,
): ListResult {
  const result = registry.store.page({
    resource: query.type.key,
    ...(query.namespace === '' ? {} : { namespace: query.namespace }),
    revision,
    ...(after === undefined ? {} : { after }),
    limit: query.limit > 0 ? query.limit : Number.MAX_SAFE_INTEGER,
    ...(matches ? { matches } : {}),
  });
  if (result === 'expired') throw tooOld(after);
  const last = result.items.at(-1);
  return {
    items: result.items,
    revision,
    continueToken: result.more && last ? encodeContinue({ revision, after: last.key }) : '',
    remaining: result.more ? result.remaining : undefined,
  };
}

function tooOld(after: string | undefined): ApiError {
  if (after === undefined) return expired(`The resourceVersion for the provided list is too old.`);
  return new ExpiredContinue(encodeContinue({ revision: 0, after }));
}

/** 410 that lets the client go on from where it was, if it can live with pages of different moments. */
export class ExpiredContinue extends ApiError {
  readonly continueToken: string;

  constructor(continueToken: string) {
    super({
      code: 410,
      reason: 'Expired',
      message:
        'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    });
    this.continueToken = continueToken;
  }
}

const decimal = /^[0-9]+$/;

export function listRevisionOf(resourceVersion: string): number {
  if (resourceVersion === '') return 0;
  if (!decimal.test(resourceVersion)) {
    const quoted = JSON.stringify(resourceVersion);
    const why = `Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`;
    throw badRequest(`invalid resource version: resourceVersion: ${why}`);
  }
  return Number(resourceVersion);
}

export function tooNew(wanted: number, current: number): ApiError {
  const message = `Too large resource version: ${wanted}, current: ${current}`;
  return new ApiError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: ${message}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

const matchKinds = ['Exact', 'NotOlderThan', ''];

function checkVersionMatch(query: ListQuery): void {
  const problems = matchProblems(query.resourceVersion, query.resourceVersionMatch, query.continueToken);
  if (problems.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', problems);
}

function matchProblems(resourceVersion: string, match: string, continueToken: string): readonly FieldError[] {
  const field = 'resourceVersionMatch';
  if (match === '') return [];
  const problems: FieldError[] = [];
  if (resourceVersion === '')
    problems.push(forbidden(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  if (continueToken !== '')
    problems.push(forbidden(field, 'resourceVersionMatch is forbidden when continue is provided'));
  if (!matchKinds.includes(match)) problems.push(notSupported(field, match, matchKinds));
  if (match === 'Exact' && resourceVersion === '0')
    problems.push(forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  return problems;
}
