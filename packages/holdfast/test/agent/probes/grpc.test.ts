import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import { probeGrpc } from '../../../src/agent/probes/grpc.ts';
import { decodeStatus, encodeCheck } from '../../../src/agent/probes/grpc-message.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import { deadPort, listen, serve, serveRaw } from '../support/http-server.ts';

const patient = { clock: realClock, timeoutMs: 10_000 };
const hurried = { clock: realClock, timeoutMs: 150 };

interface Call {
  readonly path: string;
  readonly body: Buffer;
}

function serveGrpc(answer: (stream: ServerHttp2Stream, call: Call) => void) {
  const server = createServer();
  server.on('session', (session) => session.on('error', () => undefined));
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => answer(stream, { path: String(headers[':path']), body: Buffer.concat(chunks) }));
  });
  return listen(server as Server);
}

function framed(message: readonly number[]): Buffer {
  return Buffer.from([0, 0, 0, 0, message.length, ...message]);
}

function reply(stream: ServerHttp2Stream, body: Buffer, trailers: Record<string, string> = { 'grpc-status': '0' }) {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(body);
}

function ask(port: number, service = '', terms = patient) {
  return probeGrpc(terms, { host: '127.0.0.1', port, service });
}

describe('a gRPC probe', () => {
  it('asks for the health of its service', async () => {
    const calls: Call[] = [];
    const { port, open } = await serveGrpc((stream, call) => {
      calls.push(call);
      reply(stream, framed([0x08, 1]));
    });
    expect(await ask(port, 'db')).toEqual({ result: 'success', output: 'SERVING' });
    expect(calls).toEqual([{ path: '/grpc.health.v1.Health/Check', body: framed([0x0a, 2, 0x64, 0x62]) }]);
    await expect.poll(open).toBe(0);
  });

  const answers = [
    { name: 'NOT_SERVING', body: framed([0x08, 2]), output: 'the service is NOT_SERVING' },
    { name: 'SERVICE_UNKNOWN', body: framed([0x08, 3]), output: 'the service is SERVICE_UNKNOWN' },
    { name: 'a status that is not known', body: framed([0x08, 9]), output: 'the service is 9' },
    { name: 'an empty message', body: framed([]), output: 'the service is UNKNOWN' },
    { name: 'no message', body: Buffer.alloc(0), output: 'the answer cannot be read' },
    { name: 'half a message', body: framed([0x08, 1]).subarray(0, 6), output: 'the answer cannot be read' },
    { name: 'a compressed message', body: Buffer.from([1, 0, 0, 0, 2, 8, 1]), output: 'the answer cannot be read' },
    { name: 'a long one', body: Buffer.alloc(10_000), output: 'the answer is longer than 4096 bytes' },
  ];
  it.each(answers)('fails on $name', async ({ body, output }) => {
    const { port } = await serveGrpc((stream) => reply(stream, body));
    expect(await ask(port)).toEqual({ result: 'failure', output });
  });

  const errors = [
    { trailers: { 'grpc-status': '5', 'grpc-message': 'no such service' }, output: 'gRPC status 5: no such service' },
    { trailers: { 'grpc-status': '12' }, output: 'the server does not implement grpc.health.v1.Health' },
    { trailers: { 'grpc-status': '14' }, output: 'gRPC status 14:' },
    { trailers: {}, output: 'the answer has no gRPC status' },
  ];
  it.each(errors)('fails with "$output"', async ({ trailers, output }) => {
    const { port } = await serveGrpc((stream) => reply(stream, framed([0x08, 1]), trailers));
    expect(await ask(port)).toEqual({ result: 'failure', output });
  });

  it('fails on an error that comes without a body', async () => {
    const { port } = await serveGrpc((stream) =>
      stream.respond({ ':status': 200, 'grpc-status': '12' }, { endStream: true }),
    );
    expect(await ask(port)).toMatchObject({ output: 'the server does not implement grpc.health.v1.Health' });
    const other = await serveGrpc((stream) => stream.respond({ ':status': 404 }, { endStream: true }));
    expect(await ask(other.port)).toEqual({ result: 'failure', output: 'HTTP status 404' });
  });

  it('fails where nothing listens, or something else does', async () => {
    expect(await ask(await deadPort())).toMatchObject({ result: 'failure' });
    const http = await serve((_, response) => void response.end());
    expect(await ask(http.port)).toMatchObject({ result: 'failure' });
    const closing = await serveRaw((socket) => socket.end());
    expect(await ask(closing.port)).toMatchObject({ result: 'failure' });
  });

  it('fails on a server that resets the stream', async () => {
    const { port } = await serveGrpc((stream) => stream.close(2));
    expect(await ask(port)).toMatchObject({ result: 'failure' });
  });

  const stallers: readonly (readonly [string, (stream: ServerHttp2Stream) => void])[] = [
    ['says nothing', () => undefined],
    ['stalls after its headers', (stream) => stream.respond({ ':status': 200 })],
    [
      'stalls after its message',
      (stream) => {
        stream.respond({ ':status': 200 });
        stream.write(framed([0x08, 1]));
      },
    ],
  ];
  it.each(stallers)('ends in time with a server that %s', async (_name, answer) => {
    const { port, open } = await serveGrpc(answer);
    expect(await ask(port, '', hurried)).toEqual({ result: 'failure', output: 'no answer within 0.15 s' });
    await expect.poll(open).toBe(0);
  });

  it('ends in time with a server that does not even speak', async () => {
    const { port, open } = await serveRaw((socket) => socket.resume());
    expect(await ask(port, '', hurried)).toMatchObject({ output: 'no answer within 0.15 s' });
    await expect.poll(open).toBe(0);
  });
});

describe('messages', () => {
  it('with a long name have a length of several bytes', () => {
    const encoded = encodeCheck('x'.repeat(300));
    expect(encoded.subarray(0, 8)).toEqual(Buffer.from([0, 0, 0, 1, 47, 0x0a, 0xac, 0x02]));
    expect(encoded.length).toBe(308);
  });

  it('are read past fields that are not known', () => {
    const others = [0x10, 0x96, 0x01, 0x1a, 2, 9, 9, 0x25, 1, 2, 3, 4, 0x29, 1, 2, 3, 4, 5, 6, 7, 8];
    expect(decodeStatus(framed([...others, 0x08, 1]))).toBe('SERVING');
    expect(decodeStatus(framed([0x08, 2, 0x08, 1]))).toBe('SERVING');
  });

  it('that make no sense are not read', () => {
    const nonsense = [[0x08], [0x80], [0x1a, 9, 1], [0x0b], [0x25, 1], Array.from({ length: 20 }, () => 0xff)];
    for (const message of nonsense) expect(decodeStatus(framed(message))).toBeUndefined();
  });
});
