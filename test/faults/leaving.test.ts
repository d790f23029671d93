import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateSecret } from '../../packages/holdfast/src/api/installation-names.ts';
import type { RunningOperator } from '../../packages/holdfast/src/operator/operator.ts';
import { JumpClock } from '../../packages/holdfast/test/operator/certificates/jump-clock.ts';
import { made } from '../support/cluster.ts';
import { type FaultBed, faultBed } from './support/bed.ts';
import { type Calls, callInALoop } from './support/calls.ts';
import { eventually } from './support/eventually.ts';
import { all, createPods, createPub, evict, podNames } from './support/shop.ts';

const day = 24 * 60 * 60 * 1000;
/** Leaves are good for ninety days and renewed thirty days before their end. Who checks them goes by real time. */
const clock = new JumpClock(-70 * day);
const names = podNames('web', 6);
let bed: FaultBed;
let replicas: readonly RunningOperator[] = [];
let namespace = '';

beforeAll(async () => {
  bed = await faultBed();
  replicas = [await bed.replica({ clock }), await bed.replica({ clock })];
  namespace = await bed.cluster.newNamespace();
  await createPods(bed.cluster, namespace, all(names, { app: 'web' }));
  await createPub(bed.cluster, namespace, 'web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 3 });
}, 120_000);
afterAll(() => bed?.close());

/** Something happens while admissions go on; each of them must succeed. */
async function whileCalled(act: (calls: Calls) => Promise<void>): Promise<void> {
  const calls = callInALoop(bed.cluster, namespace, names);
  await calls.more();
  try {
    await act(calls);
    await calls.more();
  } finally {
    const { codes, problems } = await calls.stop();
    expect(Object.keys(codes), problems.join('\n')).toEqual(['201']);
  }
}

/** API servers keep their connections, so that who comes later is not called before they make new ones. */
async function reconnect(): Promise<void> {
  bed.cluster.balancer.cut();
  const asked = async () => (await evict(bed.cluster, namespace, 'web-0', { dryRun: true })).code;
  await eventually(async () => (await asked()) === 201, 'no connection is left that was cut');
}

function calledAt(port: number): Promise<void> {
  return eventually(() => bed.cluster.balancer.connections(port) > 0, 'it is called');
}

function servedBy(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe.sequential('no admission fails', () => {
  it('while certificates are renewed', async () => {
    const served = () => Promise.all(replicas.map(({ webhookPort }) => servedBy(webhookPort)));
    const before = await served();
    await whileCalled(async (calls) => {
      clock.set(65 * day);
      const path = `/api/v1/namespaces/${bed.cluster.operatorNamespace}/secrets/${certificateSecret}`;
      const body = { metadata: { annotations: { seen: 'again' } } };
      await made(bed.cluster.request('PATCH', path, { body, contentType: 'application/merge-patch+json' }));
      await eventually(
        async () => (await served()).every((serial, i) => serial !== before[i]),
        'every replica serves a new certificate',
      );
      await calls.more();
    });
    expect(new Set(await served()).size).toBe(1);
    await eventually(() => replicas.every((one) => one.missing().length === 0), 'all are ready');
  });

  it('when new connections are made after that', async () => {
    await reconnect();
    await whileCalled((calls) => calls.more());
  });

  it('while a replica leaves as it does on SIGTERM', async () => {
    const leaving = await bed.replica({ clock, noticeMs: 500 });
    await reconnect();
    await whileCalled(async (calls) => {
      await calledAt(leaving.webhookPort);
      const left = leaving.stop();
      // What the endpoints of a Service do when a pod is not ready.
      expect(leaving.missing()).not.toEqual([]);
      bed.cluster.balancer.remove(leaving.webhookPort);
      await left;
      await calls.more();
    });
  });

  it('while a process that gets no new connections ends on SIGTERM', async () => {
    const { operator, port } = await bed.process();
    await reconnect();
    await whileCalled(async (calls) => {
      await calledAt(port);
      bed.cluster.balancer.remove(port);
      expect(await operator.kill('SIGTERM'), operator.log).toBe(0);
      await calls.more();
    });
    expect(operator.log).not.toContain('cut off');
  });
});
