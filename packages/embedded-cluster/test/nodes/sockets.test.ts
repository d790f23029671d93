import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createPki } from '../../src/auth/pki.ts';
import { sim } from '../../src/nodes/annotations.ts';
import { detectAddresses } from '../../src/nodes/network/addresses.ts';
import type { NodesOptions } from '../../src/nodes/nodes.ts';
import { realClock, sleep } from '../../src/time/clock.ts';
import { podOf } from './sample-pods.ts';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation;

afterEach(async () => {
  await simulation.close();
  expect(simulation.errors).toEqual([]);
});

/** Ten seconds are a tenth of one. */
const fast = { speed: 100, startDelayMs: 0, heartbeats: false } as const;

async function begin(options: Partial<NodesOptions> = {}): Promise<void> {
  simulation = await simulate(realClock);
  simulation.start({ ...fast, ...options });
}

async function eventually(done: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3000 && !done(); tries += 1) await sleep(realClock, 10);
  expect(done()).toBe(true);
}

const isReady = (name?: string) => simulation.condition('Ready', name) === 'True';
const isUnready = () => simulation.condition('Ready') === 'False';

/** The status of an answer, or the error's code. */
function get(host: string, port: number, path = '/'): Promise<number | string> {
  return new Promise((resolve) => {
    const asked = request({ host, port, path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    asked.end();
  });
}

const address = () => simulation.pod()?.status?.podIP ?? '';
/** Each test has a port of its own: pods of earlier ones may still be closing theirs. */
let nextPort = 18_080;
const freshPort = () => {
  nextPort += 1;
  return nextPort;
};

describe('probes over real sockets', () => {
  it.each([
    ['httpGet', (port: number) => ({ httpGet: { port, path: '/ready', httpHeaders: [{ name: 'X-A', value: 'b' }] } })],
    ['tcpSocket', (port: number) => ({ tcpSocket: { port } })],
    ['grpc', (port: number) => ({ grpc: { port, service: 'app' } })],
  ])('%s readiness follows what the pod answers', async (_kind, handler) => {
    await begin();
    await simulation.create(podOf({ container: { readinessProbe: { ...handler(freshPort()), failureThreshold: 1 } } }));
    await eventually(isReady);
    await simulation.annotate('pods', 'web-0', sim.probe, 'fail');
    await eventually(isUnready);
    expect(simulation.events().some((event) => event.startsWith('Unhealthy: Readiness probe failed: '))).toBe(true);
    await simulation.annotate('pods', 'web-0', sim.probe, 'ok');
    await eventually(isReady);
  });

  it('HTTPS is spoken where there is a certificate', async () => {
    const { material } = await createPki({ clock: realClock });
    await begin({ certificate: { certificate: material.serverCertificate, key: material.serverKey } });
    await simulation.create(
      podOf({ container: { readinessProbe: { httpGet: { port: freshPort(), scheme: 'HTTPS' } } } }),
    );
    await eventually(isReady);
  });

  it('without a certificate nothing listens there, and an event says so', async () => {
    await begin();
    const port = freshPort();
    await simulation.create(podOf({ container: { readinessProbe: { httpGet: { port, scheme: 'HTTPS' } } } }));
    const expected = `SimPortUnavailable: Nothing listens on port ${port} of this pod: there is no certificate for HTTPS listeners`;
    await eventually(() => simulation.events().includes(expected));
    await eventually(() => simulation.events().some((event) => event.includes('connect: connection refused')));
    expect(isUnready()).toBe(true);
  });

  it('a slow answer is one too late', async () => {
    await begin();
    const readinessProbe = { httpGet: { port: freshPort() }, timeoutSeconds: 1, failureThreshold: 1 };
    await simulation.create(podOf({ annotations: { [sim.probe]: 'slow' }, container: { readinessProbe } }));
    const late = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
    await eventually(() => simulation.events().some((event) => event.endsWith(late)));
    expect(isUnready()).toBe(true);
  });

  it('liveness restarts the container', async () => {
    await begin();
    const livenessProbe = { httpGet: { port: freshPort() }, failureThreshold: 1 };
    await simulation.create(podOf({ container: { livenessProbe } }));
    await eventually(isReady);
    await simulation.annotate('pods', 'web-0', sim.probe, 'fail');
    await eventually(() => (simulation.pod()?.status?.containerStatuses?.[0]?.restartCount ?? 0) > 0);
  });
});

describe('listeners', () => {
  it('serve the disruption probe, by its path', async () => {
    await begin();
    const port = freshPort();
    const text = JSON.stringify({ httpGet: { port, path: '/disruptable' } });
    const annotations = { 'holdfast.dev/disruption-probe': text, [sim.probe]: '/disruptable=fail' };
    await simulation.create(podOf({ annotations }));
    await eventually(isReady);
    expect(await get(address(), port, '/disruptable')).toBe(500);
    expect(await get(address(), port, '/')).toBe(200);
  });

  it('belong to one pod each, on the same port', async () => {
    if ((await detectAddresses()) === 'one') return;
    await begin();
    const port = freshPort();
    const container = { disruptionProbe: { httpGet: { port } } };
    await simulation.create(
      podOf({ container }),
      podOf({ metadata: { name: 'web-1' }, container, annotations: { [sim.probe]: 'fail' } }),
    );
    await eventually(() => isReady() && isReady('web-1'));
    expect(await get(address(), port)).toBe(200);
    expect(await get(simulation.pod('web-1')?.status?.podIP ?? '', port)).toBe(500);
  });

  it('close when the container ends, when the node is cut off, and when the pod goes', async () => {
    await begin({ speed: 1 });
    const port = freshPort();
    await simulation.create(podOf({ container: { disruptionProbe: { httpGet: { port } } } }));
    await eventually(isReady);
    const ip = address();
    const answers = async (expected: number | string) => {
      for (let tries = 0; tries < 1000 && (await get(ip, port)) !== expected; tries += 1) await sleep(realClock, 10);
      expect(await get(ip, port)).toBe(expected);
    };
    await answers(200);
    await simulation.annotate('nodes', 'node-1', sim.down, 'true');
    await answers('ECONNREFUSED');
    await simulation.annotate('nodes', 'node-1', sim.down, undefined);
    await answers(200);
    await simulation.annotate('pods', 'web-0', sim.crash, 'now');
    await answers('ECONNREFUSED');
    await answers(200);
    await simulation.admin.delete('pods', 'default', 'web-0', { gracePeriodSeconds: 0 });
    await answers('ECONNREFUSED');
  });

  it('cut open connections when they close', async () => {
    await begin();
    const port = freshPort();
    await simulation.create(podOf({ container: { disruptionProbe: { tcpSocket: { port } } } }));
    await eventually(isReady);
    const socket = connect({ host: address(), port });
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    await simulation.annotate('pods', 'web-0', sim.probe, 'fail');
    await closed;
  });

  it('are not opened beyond the limit, where annotations decide instead', async () => {
    await begin({ listenerLimit: 0 });
    const port = freshPort();
    await simulation.create(podOf({ container: { readinessProbe: { httpGet: { port }, failureThreshold: 1 } } }));
    await eventually(isReady);
    expect(await get(address(), port)).toBe('ECONNREFUSED');
    await simulation.annotate('pods', 'web-0', sim.probe, 'fail');
    await eventually(isUnready);
  });

  it('share one address where there is only one, and say which port is whose', async () => {
    await begin({ detectAddresses: async () => 'one' });
    const container = { readinessProbe: { httpGet: { port: 80 } } };
    await simulation.create(podOf({ container }), podOf({ metadata: { name: 'web-1' }, container }));
    await eventually(() => isReady() && isReady('web-1'));
    const portOf = (name: string): number =>
      JSON.parse(simulation.pod(name)?.metadata.annotations?.[sim.ports] ?? '{}')['80'];
    expect(address()).toBe('127.0.0.1');
    expect(portOf('web-0')).not.toBe(portOf('web-1'));
    expect(await get('127.0.0.1', portOf('web-0'))).toBe(200);
  });

  it('that clash are reported', async () => {
    await begin();
    const port = freshPort();
    const parts = { container: { disruptionProbe: { httpGet: { port } } }, spec: {} };
    const onHost = (name: string) => {
      const pod = podOf({ ...parts, metadata: { name } });
      return { ...pod, spec: { ...pod.spec, hostNetwork: true } };
    };
    await simulation.create(onHost('web-0'), onHost('web-1'));
    await eventually(() =>
      [...simulation.events('web-0'), ...simulation.events('web-1')].some((event) => event.includes('EADDRINUSE')),
    );
  });
});
