import { afterAll, describe, expect, it } from 'vitest';
import { pause } from '../support/cluster.ts';
import { ConnectionProxy } from '../support/connection-proxy.ts';
import { addNode } from './support/nodes.ts';
import { pod, pub } from './support/objects.ts';
import { blockersOf } from './support/refusals.ts';
import { type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

let proxy: ConnectionProxy | undefined;
const { cluster, skipped } = await suite({
  replicas: 2,
  accessOf: async (replica, access) => {
    if (replica === 0) return access;
    proxy = await ConnectionProxy.start(access);
    return proxy.through(access);
  },
});
afterAll(() => proxy?.close());
const node = skipped ? '' : await addNode(cluster, 'any');

/** Nothing comes of asking. */
async function ask({ namespace }: Scene, name: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction?dryRun=All`;
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  const answer = await cluster.request('POST', path, { body });
  return answer.code < 300 ? 'allowed' : `${answer.code} ${blockersOf(answer).join(', ')} ${answer.text}`;
}

/** What a Service does: new connections go to this replica, and those that exist go on. */
function route(to: number, from: number): void {
  cluster.balancer.remove(from);
  cluster.balancer.remove(to);
  cluster.balancer.add(to);
}

describe.skipIf(skipped).sequential('a replica that cannot judge any more', () => {
  it('[W2] lets go of the connections of API servers, which then ask another', async () => {
    const { balancer, operators } = cluster;
    const [other, cutOff] = operators;
    if (other === undefined || cutOff === undefined || proxy === undefined)
      throw new Error('two operators are started');
    const scene = await sceneIn(cluster);
    await scene.addPods(...['web-0', 'web-1'].map((name) => pod(name, { node })));
    const budget = pub('web', { minAvailable: 1 });
    await scene.apply(budget);
    await scene.waitEnforced(budget);
    const judges = (port: number) =>
      waitUntil(
        'the replica judges',
        async () => `${await ask(scene, 'web-0')} ${balancer.connections(port)}`,
        (answer) => /^allowed [1-9]/.test(answer),
      );
    route(cutOff.webhookPort, other.webhookPort);
    balancer.cut();
    await judges(cutOff.webhookPort);

    proxy.cutOff();
    await waitUntil(
      'the replica is not ready',
      () => cutOff.missing(),
      (missing) => missing.length > 0,
    );
    route(other.webhookPort, cutOff.webhookPort);
    await waitUntil(
      'the replica closed the connections that it had',
      () => balancer.connections(cutOff.webhookPort),
      (connections) => connections === 0,
    );
    for (let round = 0; round < 20; round += 1) {
      expect(await ask(scene, 'web-0')).toBe('allowed');
      await pause(10);
    }

    // And when it is back, connections are kept as before.
    proxy.restore();
    await waitUntil(
      'the replica is ready',
      () => cutOff.missing(),
      (missing) => missing.length === 0,
    );
    route(cutOff.webhookPort, other.webhookPort);
    balancer.cut();
    await judges(cutOff.webhookPort);
    await pause(2_500);
    expect(balancer.connections(cutOff.webhookPort)).toBeGreaterThan(0);
  });
});
