import { type FieldError, forbidden, notSupported } from '@holdfast/base/field-errors';
import { badRequest, invalidObject, notFound } from '../../errors.ts';
import type { ResourceType } from '../../kinds/resource-type.ts';
import { hasMessage } from '../../protobuf/answers.ts';
import { apiVersionOf } from '../../registry/convert.ts';
import { type ListQuery, listObjects, listRevisionOf, tooNew } from '../../registry/list.ts';
import { type Registry, resourceName, stored, type Target } from '../../registry/registry.ts';
import { type EncodeOptions, encodeList, encodeStored, type IncludeObject } from '../encode.ts';
import type { Answer, Exchange } from '../exchange.ts';
import { negotiate } from '../negotiate.ts';
import { isTrue } from '../request-info.ts';
import { WatchStream } from '../watch/watch-stream.ts';

/** How the client wants its answer. Asked first, so that nothing is done for a client that cannot read the answer. */
export function encodingOf(
  registry: Registry,
  exchange: Exchange,
  type: ResourceType,
  { tables = true } = {},
): EncodeOptions {
  const protobuf = hasMessage(apiVersionOf(type), type.kind);
  const representation = negotiate(exchange.request.headers.accept, { tables, protobuf });
  return {
    type,
    representation,
    include: representation.kind === 'table' ? includedObject(exchange.query.get('includeObject') ?? '') : 'Metadata',
    nowMs: registry.clock.now(),
  };
}

function includedObject(include: string): IncludeObject {
  if (include === '') return 'Metadata';
  if (include === 'None' || include === 'Object' || include === 'Metadata') return include;
  const why = `includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: ${why}`);
}

export async function getOne(registry: Registry, exchange: Exchange, target: Target): Promise<Answer> {
  const encoding = encodingOf(registry, exchange, target.type);
  const wanted = listRevisionOf(exchange.query.get('resourceVersion') ?? '');
  if (wanted > registry.store.revision) throw tooNew(wanted, registry.store.revision);
  const current = stored(registry, target);
  if (!current) throw notFound(resourceName(target.type), target.name);
  await settled(registry);
  return { code: 200, body: await encodeStored(encoding, current) };
}

export async function getList(registry: Registry, exchange: Exchange, target: Target): Promise<Answer> {
  if (exchange.query.has('sendInitialEvents')) {
    throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [
      forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'),
    ]);
  }
  const encoding = encodingOf(registry, exchange, target.type);
  const list = listObjects(registry, listQuery(exchange, target));
  await settled(registry);
  return encodeList(encoding, list);
}

/** What a client has seen must not be undone by a crash. */
function settled({ store }: Registry): Promise<void> {
  return store.durable(store.revision);
}

export function listQuery({ query }: Exchange, target: Target): ListQuery {
  return {
    type: target.type,
    namespace: target.namespace,
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: Math.max(0, integer(query, 'limit')),
    continueToken: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
  };
}

export async function watch(registry: Registry, exchange: Exchange, target: Target): Promise<Answer> {
  const { query } = exchange;
  checkWatchMatch(query);
  const seconds = integer(query, 'timeoutSeconds');
  const stream = new WatchStream(
    registry,
    {
      list: listQuery(exchange, target),
      encode: encodingOf(registry, exchange, target.type),
      bookmarks: isTrue(query.get('allowWatchBookmarks')),
      ...(query.has('sendInitialEvents') ? { sendInitialEvents: isTrue(query.get('sendInitialEvents')) } : {}),
      timeoutMs: seconds > 0 ? seconds * 1000 : defaultWatchMs(registry),
    },
    exchange.response,
  );
  stream.start();
  return 'streaming';
}

function checkWatchMatch(query: URLSearchParams): void {
  const match = query.get('resourceVersionMatch') ?? '';
  const sendsInitialEvents = query.has('sendInitialEvents');
  const field = 'resourceVersionMatch';
  const problems: FieldError[] = [];
  if (sendsInitialEvents && match !== 'NotOlderThan')
    problems.push(forbidden(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  if (!sendsInitialEvents && match !== '')
    problems.push(forbidden(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  if (match !== '' && match !== 'NotOlderThan') problems.push(notSupported(field, match, ['NotOlderThan']));
  if (match !== '' && query.get('continue'))
    problems.push(forbidden(field, 'resourceVersionMatch is forbidden when continue is provided'));
  if (problems.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', problems);
}

function integer(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  if (text === '') return 0;
  if (!/^[-+]?[0-9]{1,15}$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

/** Between half an hour and an hour, so that watches that began together do not end together. */
function defaultWatchMs({ random }: Registry): number {
  return (1 + random.next()) * 30 * 60_000;
}
