import type { ServerResponse } from 'node:http';
import { isMap, type JsonMap } from '../../packages/embedded-cluster/src/patch/json-tree.ts';
import { type Collection, metadataOf } from './collection.ts';
import { lineOf, type Matches } from './feed.ts';
import { apiVersionOf, type Kind } from './kinds.ts';

export interface Reading {
  readonly namespace: string | undefined;
  readonly query: URLSearchParams;
  /** The newest that there is. */
  readonly version: number;
}

const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' };

export function bookmarkLine(kind: Kind, version: number, annotations?: object): string {
  const metadata = { resourceVersion: String(version), ...(annotations === undefined ? {} : { annotations }) };
  return `${JSON.stringify({ type: 'BOOKMARK', object: { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata } })}\n`;
}

/** A page of a list; its token is the position of the next object. */
export function listTo(response: ServerResponse, collection: Collection, reading: Reading): void {
  const { query, version } = reading;
  const limit = Number(query.get('limit') ?? 0);
  const from = Number(query.get('continue') ?? 0);
  const to = limit === 0 ? collection.size : Math.min(collection.size, from + limit);
  const metadata = { resourceVersion: String(version), ...(to < collection.size ? { continue: String(to) } : {}) };
  const { kind } = collection;
  const head = JSON.stringify({ kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind), metadata });
  const items = [...selected(collection, from, to, reading)];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(`${head.slice(0, -1)},"items":[${items.join(',')}]}\n`);
}

export async function watchTo(response: ServerResponse, collection: Collection, reading: Reading): Promise<void> {
  const { query, version } = reading;
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  endAfter(response, Number(query.get('timeoutSeconds') ?? 0));
  const initial = query.get('sendInitialEvents') === 'true';
  if (initial) {
    for (const text of selected(collection, 0, collection.size, reading)) {
      if (!response.write(lineOf({ type: 'ADDED', text }))) await drained(response);
      if (response.destroyed || response.writableEnded) return;
    }
    response.write(bookmarkLine(collection.kind, version, initialEventsEnd));
  }
  const since = initial ? version : Number(query.get('resourceVersion') ?? version);
  collection.feed.follow(response, since, matching(reading));
}

/** As API servers do; a client takes a watch that outlives its time for dead. */
function endAfter(response: ServerResponse, seconds: number): void {
  if (seconds === 0) return;
  const timer = setTimeout(() => response.end(), seconds * 1_000);
  response.once('close', () => clearTimeout(timer));
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

function* selected(collection: Collection, from: number, to: number, reading: Reading): Iterable<string> {
  const matches = matching(reading);
  for (const text of collection.texts(from, to)) if (matches(text)) yield text;
}

/** Parsing a text again is expensive, and nearly every client wants everything. */
function matching({ namespace, query }: Reading): Matches {
  const [field, value] = query.get('fieldSelector')?.split('=') ?? [];
  const name = field === 'metadata.name' ? value : undefined;
  const node = field === 'spec.nodeName' ? value : undefined;
  const labels = query.get('labelSelector')?.split(',') ?? [];
  if (namespace === undefined && field === undefined && labels.length === 0) return () => true;
  return (text) => {
    const object = JSON.parse(text) as JsonMap;
    const metadata = metadataOf(object);
    const fits = (present: unknown, wanted: string | undefined) => wanted === undefined || present === wanted;
    return (
      fits(metadata['namespace'], namespace) &&
      fits(metadata['name'], name) &&
      fits(isMap(object['spec']) ? object['spec']['nodeName'] : undefined, node) &&
      labels.every((one) => hasLabel(metadata, one))
    );
  };
}

/** Of a selector there is as much as the operator uses: `key`, and `key=value`. */
function hasLabel({ labels }: JsonMap, selector: string): boolean {
  const [key = '', value] = selector.split('=');
  const present = isMap(labels) ? labels[key] : undefined;
  return value === undefined ? present !== undefined : present === value;
}
