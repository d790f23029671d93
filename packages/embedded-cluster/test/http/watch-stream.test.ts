import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { type WatchRequest, WatchStream } from '../../src/http/watch/watch-stream.ts';
import type { KubeObject } from '../../src/objects.ts';
import { type APlane, aPlane, object } from '../registry/a-plane.ts';

interface Line {
  readonly type: string;
  readonly object: KubeObject & { code?: number; message?: string };
}

/** What a response does as far as streams use it. */
class FakeResponse extends EventEmitter {
  destroyed = false;
  ended = false;
  text = '';

  writeHead(): void {}
  flushHeaders(): void {}
  write(chunk: Buffer): boolean {
    this.text += chunk.toString();
    return true;
  }
  end(): void {
    this.ended = true;
  }
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }

  get lines(): Line[] {
    return this.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  }
}

async function withMaps(...names: string[]): Promise<APlane> {
  const a = await aPlane();
  for (const name of names) await a.client.create('configmaps', object('v1', 'ConfigMap', name));
  return a;
}

function open(
  a: APlane,
  { resourceVersion = '', ...request }: Partial<WatchRequest> & { resourceVersion?: string } = {},
  response = new FakeResponse(),
): FakeResponse {
  const { type } = a.target('configmaps', '');
  const list = {
    type,
    namespace: 'default',
    labelSelector: '',
    fieldSelector: '',
    limit: 0,
    continueToken: '',
    resourceVersion,
    resourceVersionMatch: '',
  };
  const encode = { type, representation: { kind: 'object' }, include: 'Metadata', nowMs: 0 } as WatchRequest['encode'];
  const whole = { list, encode, bookmarks: false, timeoutMs: 60_000, ...request };
  new WatchStream(a.plane.registry, whole, response as unknown as ServerResponse).start();
  return response;
}

const inShort = ({ type, object: { metadata } }: Line) =>
  type === 'BOOKMARK'
    ? `BOOKMARK ${Object.keys(metadata.annotations ?? {}).join()}`.trim()
    : `${type} ${metadata.name}`;

/** Everything up to the object that is made now. */
async function linesWithOneMore(a: APlane, response: FakeResponse): Promise<string[]> {
  await a.client.create('configmaps', object('v1', 'ConfigMap', 'last'));
  await vi.waitFor(() => expect(response.text).toContain('"last"'));
  const lines = response.lines.map(inShort);
  response.destroy();
  return lines;
}

describe('a watch', () => {
  const end = 'BOOKMARK k8s.io/initial-events-end';
  const beginnings: [what: string, request: Parameters<typeof open>[1], lines: string[]][] = [
    ['of no revision begins with the state', {}, ['ADDED a', 'ADDED last']],
    ['of any revision too', { resourceVersion: '0' }, ['ADDED a', 'ADDED last']],
    [
      'ends the state with a bookmark for a client that takes bookmarks',
      { bookmarks: true },
      ['ADDED a', end, 'ADDED last'],
    ],
    ['sends no bookmark to who does not', { sendInitialEvents: true }, ['ADDED a', 'ADDED last']],
    ['sends no state to who does not want it', { sendInitialEvents: false }, ['ADDED last']],
    ['sends the state of a revision too', { sendInitialEvents: true, resourceVersion: '1' }, ['ADDED a', 'ADDED last']],
  ];
  it.each(beginnings)('%s', async (_what, request, lines) => {
    const a = await withMaps('a');
    expect(await linesWithOneMore(a, open(a, request))).toEqual(lines);
  });

  it('of a revision of the future waits for it', async () => {
    const a = await withMaps('a');
    const resourceVersion = String(a.plane.registry.store.revision + 1);
    const response = open(a, { resourceVersion });
    await a.client.create('configmaps', object('v1', 'ConfigMap', 'skipped'));
    expect(await linesWithOneMore(a, response)).toEqual(['ADDED last']);
  });

  it('with the state of a revision of the future fails, in the stream', async () => {
    const a = await withMaps('a');
    const response = open(a, { sendInitialEvents: true, resourceVersion: '1000000' });
    await vi.waitFor(() => expect(response.ended).toBe(true));
    expect(response.lines).toMatchObject([{ type: 'ERROR', object: { code: 504, reason: 'Timeout' } }]);
  });

  it('sends a last bookmark before its time is up', async () => {
    const a = await withMaps();
    const response = open(a, { bookmarks: true, timeoutMs: 2_010, resourceVersion: '1' });
    await vi.waitFor(() => expect(response.lines.map(inShort)).toContain('BOOKMARK'));
    response.destroy();
  });

  it('ends what it began when its client goes', async () => {
    const a = await withMaps();
    const stop = vi.fn();
    vi.spyOn(a.plane.registry.store, 'watch').mockReturnValue({ stop });
    open(a).destroy();
    expect(stop).toHaveBeenCalledOnce();
  });

  it('does not begin for a client that is gone', async () => {
    const a = await withMaps();
    const gone = new FakeResponse();
    gone.destroy();
    const watch = vi.spyOn(a.plane.registry.store, 'watch');
    open(a, {}, gone);
    expect(watch).not.toHaveBeenCalled();
  });
});

describe('a watch of what cannot be encoded', () => {
  it('ends with an error, instead of leaving something out', async () => {
    const a = await withMaps();
    const { type } = a.target('configmaps', '');
    const representation = { kind: 'object', format: 'protobuf' } as const;
    const { revision } = a.plane.registry.store;
    const encode = { type, representation, include: 'Metadata', nowMs: 0 } as const;
    const response = open(a, { encode, resourceVersion: String(revision) });
    const broken = { ...object('v1', 'ConfigMap', 'broken'), data: 'none' };
    a.plane.registry.store.create('configmaps', 'default/broken', broken);
    await vi.waitFor(() => expect(response.ended).toBe(true));
    expect(response.text).toContain('ERROR');
    expect(response.text).toContain('the object cannot be encoded');
  });
});
