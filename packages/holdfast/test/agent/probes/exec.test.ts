import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { made, type TestCluster, testCluster } from '../../../../../test/support/cluster.ts';
import { type ExecTarget, probeExec } from '../../../src/agent/probes/exec.ts';
import { createProber } from '../../../src/agent/probes/prober.ts';
import { accessOf, parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { targetOf } from '../../../src/kube/config/target-of.ts';
import { realClock } from '../../../src/kube/time/clock.ts';
import type { ServerTarget } from '../../../src/kube/transport/target.ts';
import { deadPort, listen } from '../support/http-server.ts';

const patient = { clock: realClock, timeoutMs: 20_000 };
const hurried = { clock: realClock, timeoutMs: 150 };

describe('an exec probe, by way of the API server', () => {
  let cluster: TestCluster;
  let api: ServerTarget;
  const target = (command: readonly string[], pod = 'db-0'): ExecTarget => ({
    namespace: cluster.namespace,
    pod,
    container: 'app',
    command,
  });

  beforeAll(async () => {
    cluster = await testCluster({ controllers: true, nodes: 1, speed: 50 });
    api = targetOf(accessOf(parseKubeconfig(cluster.kubeconfig, '/'), undefined), realClock);
    const path = `/api/v1/namespaces/${cluster.namespace}/pods`;
    const annotations = {
      'holdfast.dev/disruption-probe': '{"exec": {"command": ["check"]}}',
      'sim.holdfast.dev/exec-probe': 'fail',
    };
    const spec = { containers: [{ name: 'app', image: 'app' }] };
    await made(cluster.request('POST', path, { body: { metadata: { name: 'db-0', annotations }, spec } }));
    const phase = async () => (await cluster.request('GET', `${path}/db-0`)).body.status['phase'];
    await vi.waitFor(async () => expect(await phase()).toBe('Running'), { timeout: 20_000 });
  });

  afterAll(() => cluster.close());

  it('succeeds with a command that ends well, and keeps what it printed', async () => {
    const result = await probeExec(patient, api, target(['echo', 'all', 'is & well?']));
    expect(result).toEqual({ result: 'success', output: 'all is & well?' });
  });

  it('fails with one that does not', async () => {
    expect(await probeExec(patient, api, target(['false']))).toEqual({
      result: 'failure',
      output: 'command terminated with non-zero exit code: exit status 1',
    });
    const result = await probeExec(patient, api, target(['check']));
    expect(result).toMatchObject({ result: 'failure', output: expect.stringContaining('probe failed') });
  });

  it('does not know when there is no such pod', async () => {
    expect(await probeExec(patient, api, target(['true'], 'gone'))).toMatchObject({
      result: 'unknown',
      output: expect.stringContaining('HTTP status 404'),
    });
    expect(await probeExec(patient, api, target(['true'], '..'))).toMatchObject({ result: 'unknown' });
  });

  it('is not even tried where that was not allowed', async () => {
    const prober = createProber({ clock: realClock, api, permits: { execNamespaces: ['elsewhere'], hosts: [] } });
    const question = {
      ...target(['echo', 'hello']),
      handler: { kind: 'exec', command: ['echo', 'hello'] },
      timeoutSeconds: 1,
      address: '127.0.0.1',
      ports: new Map<string, number>(),
    } as const;
    expect(await prober(question, new AbortController().signal)).toMatchObject({ result: 'unknown' });
    const allowed = createProber({ clock: realClock, api, permits: { execNamespaces: 'all', hosts: [] } });
    expect(await allowed(question, new AbortController().signal)).toMatchObject({ result: 'success' });
  });
});

describe('an exec probe of an API server that misbehaves', () => {
  async function against(take: (socket: WebSocket) => void) {
    const server = createServer();
    const sockets = new WebSocketServer({ server, handleProtocols: () => 'v5.channel.k8s.io' });
    sockets.on('connection', (socket) => {
      socket.on('error', () => undefined);
      take(socket);
    });
    const listening = await listen(server);
    return { ...listening, api: apiAt(listening.port) };
  }

  function apiAt(port: number): ServerTarget {
    return {
      server: new URL(`http://127.0.0.1:${port}`),
      serverName: undefined,
      verify: true,
      identity: () => Promise.resolve({ tls: { ca: undefined, certificate: undefined, key: undefined }, headers: {} }),
      forget: () => false,
    };
  }

  const target = { namespace: 'shop', pod: 'db-0', container: 'app', command: ['check'] };
  const say = (kind: number, text: string) => Buffer.concat([Buffer.from([kind]), Buffer.from(text)]);

  it('ends in time when the command does not, and leaves nothing open', async () => {
    const { api, open } = await against(() => undefined);
    expect(await probeExec(hurried, api, target)).toEqual({ result: 'failure', output: 'no answer within 0.15 s' });
    await expect.poll(open).toBe(0);
  });

  it('ends in time when it is not even told who it is', async () => {
    const { api } = await against(() => undefined);
    const slow: ServerTarget = { ...api, identity: () => new Promise(() => undefined) };
    expect(await probeExec(hurried, slow, target)).toMatchObject({ result: 'failure' });
    const lost: ServerTarget = { ...api, identity: () => Promise.reject(new Error('no token')) };
    expect(await probeExec(patient, lost, target)).toEqual({ result: 'unknown', output: 'no token' });
  });

  const ends: readonly (readonly [string, (socket: WebSocket) => void, object])[] = [
    ['a connection that closes', (socket) => socket.close(), { result: 'unknown' }],
    ['a status that is no JSON', (socket) => socket.send(say(3, '{')), { result: 'unknown' }],
    [
      'a failure of its own',
      (socket) => socket.send(say(3, '{"status":"Failure","reason":"InternalError","message":"no runtime"}')),
      { result: 'unknown', output: 'no runtime' },
    ],
    ['an empty message', (socket) => socket.send(Buffer.alloc(0), () => socket.close()), { result: 'unknown' }],
    ['a message that is far too long', (socket) => socket.send(say(1, 'x'.repeat(100_000))), { result: 'unknown' }],
  ];
  it.each(ends)('does not know after %s', async (_name, take, expected) => {
    const { api, open } = await against(take);
    expect(await probeExec(patient, api, target)).toMatchObject(expected);
    await expect.poll(open).toBe(0);
  });

  it('keeps a part of what is printed, however much it is', async () => {
    const { api } = await against((socket) => {
      for (let i = 0; i < 100; i += 1) socket.send(say(1, `\u0007line ${i}\n`.repeat(50)));
      socket.send(say(3, '{"status":"Success"}'));
    });
    const { result, output } = await probeExec(patient, api, target);
    expect(result).toBe('success');
    expect(output.length).toBeLessThanOrEqual(803);
    expect(output).toMatch(/^line 0 line 0/);
  });

  it('does not know when nothing answers', async () => {
    expect(await probeExec(patient, apiAt(await deadPort()), target)).toMatchObject({ result: 'unknown' });
  });
});
