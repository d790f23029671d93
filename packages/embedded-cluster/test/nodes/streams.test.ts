import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { AdmissionRequest } from '../../src/admission/admission.ts';
import { systemUser } from '../../src/auth/user.ts';
import { ApiError, forbidden } from '../../src/errors.ts';
import { type ResourceRequest, requestInfo } from '../../src/http/request-info.ts';
import { sim } from '../../src/nodes/annotations.ts';
import { createExecHandler, createLogHandler } from '../../src/nodes/streams/streams.ts';
import type { Registry } from '../../src/registry/registry.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';
import { podOf } from './sample-pods.ts';
import { type Simulation, simulate } from './simulation.ts';

let clock: VirtualClock;
let simulation: Simulation;
let server: Server;
let admitted: AdmissionRequest[];
let refusal: ApiError | undefined;

/** The two handlers behind as much of an API server as they need. */
function serve(): Server {
  const { registry, view } = simulation.plane;
  const watching: Registry = {
    ...registry,
    admission: {
      mutate: async (request) => request.object,
      async validate(request) {
        admitted.push(request);
        if (refusal) throw refusal;
      },
    },
  };
  const exec = createExecHandler(watching);
  const log = createLogHandler(view);
  const about = (url: string) => {
    const { pathname, searchParams } = new URL(url, 'http://x');
    const info = requestInfo('GET', pathname, searchParams) as ResourceRequest;
    return { query: searchParams, info, user: systemUser, warnings: [] };
  };
  const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : 500);
  const http = createServer((request, response) => {
    const exchange = { ...about(request.url ?? ''), request, response };
    const type = registry.types.find('', 'v1', 'pods');
    if (!type) throw new Error('no pods');
    const target = { type, namespace: exchange.info.namespace, name: exchange.info.name };
    log(exchange, target).then(
      (answer) => {
        if (answer === 'streaming') return;
        response.writeHead(answer.code, { 'content-type': answer.contentType }).end(answer.body);
      },
      (error: unknown) => response.writeHead(codeOf(error)).end(String((error as Error).message)),
    );
  });
  http.on('upgrade', (request, socket, head) => {
    exec({ ...about(request.url ?? ''), request }, socket, head).catch((error: unknown) =>
      socket.end(`HTTP/1.1 ${codeOf(error)} ${(error as Error).message}\r\n\r\n`),
    );
  });
  return http;
}

beforeEach(async () => {
  clock = new VirtualClock();
  simulation = await simulate(clock);
  simulation.start({ sockets: false });
  admitted = [];
  refusal = undefined;
  server = serve();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await simulation.create(podOf());
  await clock.advance(1000);
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await simulation.close();
});

const origin = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
const path = (rest: string, pod = 'web-0') => `/api/v1/namespaces/default/pods/${pod}/${rest}`;

interface Session {
  readonly protocol: string;
  readonly outputs: Record<number, string>;
}

/** Runs a command, and gives back what came on each channel. */
function exec(
  query: string,
  options: { protocols?: string[]; pod?: string; talk?: (socket: WebSocket) => void } = {},
): Promise<Session | string> {
  const protocols = options.protocols ?? ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
  const socket = new WebSocket(`ws://${origin()}${path(`exec?${query}`, options.pod)}`, protocols);
  const outputs: Record<number, string> = {};
  return new Promise((resolve) => {
    socket.on('open', () => options.talk?.(socket));
    socket.on('message', (data: Buffer) => {
      const kind = data[0] ?? -1;
      outputs[kind] = (outputs[kind] ?? '') + data.subarray(1).toString();
    });
    socket.on('unexpected-response', (_request, response) =>
      resolve(`${response.statusCode} ${response.statusMessage}`),
    );
    socket.on('error', (error) => resolve(error.message));
    socket.on('close', () => resolve({ protocol: socket.protocol, outputs }));
  });
}

const both = 'stdout=true&stderr=true';

describe('exec', () => {
  it('sends what the command prints and how it ended', async () => {
    const text = JSON.stringify({ stdout: 'out', stderr: 'err', exitCode: 3 });
    await simulation.annotate('pods', 'web-0', sim.exec, text);
    const session = (await exec(`command=ls&command=-l&${both}`)) as Session;
    expect(session.protocol).toBe('v5.channel.k8s.io');
    expect(session.outputs).toMatchObject({ 1: 'out', 2: 'err' });
    expect(JSON.parse(session.outputs[3] ?? '')).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
  });

  it('reports success, on the older protocol, too, and only on channels that were asked for', async () => {
    await simulation.annotate('pods', 'web-0', sim.exec, JSON.stringify({ stdout: 'out', stderr: 'err' }));
    const session = (await exec('command=ls&stdout=true', { protocols: ['v4.channel.k8s.io'] })) as Session;
    expect(session).toEqual({
      protocol: 'v4.channel.k8s.io',
      outputs: { 1: 'out', 3: JSON.stringify({ metadata: {}, status: 'Success' }) },
    });
  });

  it('a terminal has one stream for both', async () => {
    await simulation.annotate('pods', 'web-0', sim.exec, JSON.stringify({ stdout: 'out', stderr: 'err' }));
    const session = (await exec('command=ls&stdout=true&tty=true')) as Session;
    expect(session.outputs[1]).toBe('outerr');
  });

  it('cat gives back what it is sent, until there is no more', async () => {
    const session = (await exec('command=cat&stdin=true&stdout=true', {
      talk(socket) {
        socket.send(Buffer.from([4, ...Buffer.from('{"Width":80}')]));
        socket.send(Buffer.from([]));
        for (const text of ['hello ', 'world']) socket.send(Buffer.from([0, ...Buffer.from(text)]));
        socket.send(Buffer.from([255, 0]));
      },
    })) as Session;
    expect(session.outputs[1]).toBe('hello world');
    expect(JSON.parse(session.outputs[3] ?? '')).toMatchObject({ status: 'Success' });
  });

  it('asks admission before it connects', async () => {
    await exec(`command=ls&container=app&${both}`);
    expect(admitted[0]).toMatchObject({
      operation: 'CONNECT',
      subresource: 'exec',
      name: 'web-0',
      kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
      object: { kind: 'PodExecOptions', command: ['ls'], container: 'app', stdout: true, stdin: false },
    });
    refusal = forbidden({ group: '', resource: 'pods' }, 'web-0', 'no');
    expect(await exec('command=ls')).toBe('403 pods "web-0" is forbidden: no');
  });

  it.each([
    ['command=ls', { pod: 'web-9' }, '404 pods "web-9" not found'],
    ['command=ls&container=x', {}, '400 container x is not valid for pod web-0'],
    ['', {}, '400 you must specify at least 1 command for the container'],
    [
      'command=ls',
      { protocols: ['other'] },
      '400 unable to upgrade: only WebSockets with v5.channel.k8s.io or v4.channel.k8s.io are understood',
    ],
  ])('%j %j is refused with %s', async (query, options, expected) => {
    expect(await exec(query, options)).toBe(expected);
  });

  it('into a container that does not run is refused', async () => {
    await simulation.create(podOf({ metadata: { name: 'web-1' }, container: { image: 'app:broken' } }));
    await clock.advance(1000);
    const message = 'Internal error occurred: unable to upgrade connection: container not found ("app")';
    expect(await exec('command=ls', { pod: 'web-1' })).toBe(`500 ${message}`);
  });

  it('and logs are out of reach while the node is cut off', async () => {
    await simulation.annotate('nodes', 'node-1', sim.down, 'true');
    const expected = 'error dialing backend: dial tcp 127.1.0.1:10250: i/o timeout';
    expect(await exec('command=ls')).toBe(`500 ${expected}`);
    const response = await fetch(`http://${origin()}${path('log')}`);
    expect([response.status, await response.text()]).toEqual([500, expected]);
  });

  it('is the only thing that is upgraded', async () => {
    const upgrade = (rest: string) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://${origin()}${rest}`);
        socket.on('error', (error) => resolve(error.message));
      });
    expect(await upgrade(path('log'))).toBe('Unexpected server response: 400');
    expect(await upgrade(path('attach'))).toBe('Unexpected server response: 404');
    expect(await upgrade('/api/v1/namespaces/default/configmaps/x')).toBe('Unexpected server response: 404');
  });
});

describe('logs', () => {
  const read = async (query: string, pod?: string) => {
    const response = await fetch(`http://${origin()}${path(`log?${query}`, pod)}`);
    return { code: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };

  it('are plain text', async () => {
    expect(await read('tailLines=1')).toEqual({ code: 200, type: 'text/plain', text: 'ready\n' });
    expect(await read('', 'web-9')).toMatchObject({ code: 404, text: 'pods "web-9" not found' });
  });

  it('of one of several containers need its name', async () => {
    const containers = ['a', 'b'].map((name) => ({ name, image: 'app:1' }));
    const initContainers = [{ name: 'i', image: 'app:1' }];
    await simulation.create(podOf({ metadata: { name: 'two' }, spec: { containers, initContainers } }));
    await clock.advance(2000);
    const text =
      'a container name must be specified for pod two, choose one of: [a b] or one of the init containers: [i]';
    expect(await read('', 'two')).toMatchObject({ code: 400, text });
    expect(await read('container=b&tailLines=1', 'two')).toMatchObject({ code: 200, text: 'ready\n' });
    expect(await read('container=i&tailLines=1', 'two')).toMatchObject({ text: 'exiting with code 0\n' });
  });

  it('are followed until the pod has gone', async () => {
    const response = await fetch(`http://${origin()}${path('log?follow=true')}`);
    const text = response.text();
    await simulation.annotate('pods', 'web-0', sim.ready, 'false');
    await clock.advance(1000);
    await simulation.admin.delete('pods', 'default', 'web-0');
    await clock.advance(1000);
    expect(await text).toBe('container app started from app:1\nready\nnot ready\nexiting with code 0\n');
  });

  it('are followed no further than the limit', async () => {
    const response = await fetch(`http://${origin()}${path('log?follow=true&limitBytes=9')}`);
    expect(await response.text()).toBe('container');
  });
});
