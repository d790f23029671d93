import { type Fields, isObject } from '@holdfast/base/json';
import { type Failure, failed, garbled, type Outcome, succeeded } from '../outcome/failure.ts';
import { ListScanner } from '../stream/list-scanner.ts';
import { type Clock, sleep } from '../time/clock.ts';
import type { ResponseBody } from '../transport/wire.ts';
import type { Query, ResourceName, Selection } from './client.ts';
import type { KubeReader } from './reader.ts';

export interface ListRequest<T> {
  readonly client: Pick<KubeReader, 'stream'>;
  readonly resource: ResourceName;
  readonly selection?: Selection;
  /** Keeps what is needed of an item. Called as soon as the item has arrived. */
  readonly project: (object: Fields) => T;
  readonly clock: Clock;
  /** 0: everything in one answer. */
  readonly pageSize?: number;
  /** For each page, from its first byte to its last. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

export interface Listed<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

const defaultPageSize = 500;
const defaultDeadlineMs = 60_000;
/** Until a page begins to arrive: on a dead connection it never does. All of a collection at once may take a server longer. */
const pageBeginsMs = 15_000;

/**
 * Lists a collection as it is now, page by page. When the server no longer keeps the state that the pages are of, it asks for
 * everything at once: the answer is read item by item, so its size does not matter.
 */
export async function list<T>(request: ListRequest<T>): Promise<Outcome<Listed<T>>> {
  const pageSize = request.pageSize ?? defaultPageSize;
  const paged = await listPages(request, pageSize);
  return !paged.ok && paged.failure.kind === 'gone' && pageSize > 0 ? listPages(request, 0) : paged;
}

async function listPages<T>(request: ListRequest<T>, pageSize: number): Promise<Outcome<Listed<T>>> {
  const items: T[] = [];
  let next: string | undefined;
  for (;;) {
    const query = { limit: pageSize === 0 ? undefined : pageSize, continue: next };
    const page = await readPage(request, query, items);
    if (!page.ok) return page;
    next = page.value.next;
    if (next === undefined) return succeeded({ items, resourceVersion: page.value.resourceVersion });
  }
}

interface Page {
  readonly resourceVersion: string;
  readonly next: string | undefined;
}

async function readPage<T>(request: ListRequest<T>, query: Query, items: T[]): Promise<Outcome<Page>> {
  const { client, resource, selection = {}, clock, deadlineMs = defaultDeadlineMs, signal } = request;
  const beginsMs = query['limit'] === undefined ? deadlineMs : Math.min(deadlineMs, pageBeginsMs);
  const call = { deadlineMs: beginsMs, ...(signal === undefined ? {} : { signal }) };
  const opened = await client.stream(resource, selection, query, call);
  if (!opened.ok) return opened;
  const body = opened.value;
  const reading = new AbortController();
  // What is left of an answer that takes too long is not worth waiting for.
  void sleep(clock, deadlineMs, reading.signal).then((late) => late && body.destroy(new Error('deadline')));
  try {
    return await readItems(body, request, items);
  } catch (error) {
    return failed(readingFailure(error, signal));
  } finally {
    reading.abort();
  }
}

async function readItems<T>(body: ResponseBody, request: ListRequest<T>, items: T[]): Promise<Outcome<Page>> {
  const scanner = new ListScanner((json) => items.push(request.project(JSON.parse(json) as Fields)));
  for await (const chunk of body as AsyncIterable<Buffer>) scanner.push(chunk);
  const { metadata } = scanner.end();
  if (!isObject(metadata) || typeof metadata['resourceVersion'] !== 'string') {
    return garbled('a list has a resourceVersion');
  }
  const next = metadata['continue'];
  return succeeded({
    resourceVersion: metadata['resourceVersion'],
    next: typeof next === 'string' && next !== '' ? next : undefined,
  });
}

function readingFailure(error: unknown, signal: AbortSignal | undefined): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (signal?.aborted === true) return { kind: 'aborted', message: 'the caller gave up', maybeDone: false };
  const cause = error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError;
  return {
    kind: 'retry',
    cause: cause ? 'garbled' : 'connection',
    message,
    retryAfterMs: undefined,
    maybeDone: false,
  };
}
