/** An API server without its wire, with simulated nodes, in virtual or in real time. */

import { nodeUser, systemUser } from '../../src/auth/user.ts';
import type { Client } from '../../src/client.ts';
import { type ControlPlane, createControlPlane } from '../../src/control-plane.ts';
import type { NodeObject, PodObject } from '../../src/controllers/common/workloads.ts';
import type { Controller } from '../../src/controllers/controller.ts';
import { createNodes } from '../../src/nodes/create-nodes.ts';
import { type NodesOptions, startNodes } from '../../src/nodes/nodes.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Clock } from '../../src/time/clock.ts';
import { seededRandom } from '../../src/time/random.ts';

export interface Simulation {
  readonly plane: ControlPlane;
  readonly store: Store;
  readonly admin: Client;
  readonly errors: unknown[];
  start(options?: Partial<NodesOptions>): Controller;
  create(...pods: readonly PodObject[]): Promise<void>;
  pod(name?: string): PodObject | undefined;
  node(name: string): NodeObject;
  condition(type: string, name?: string): string | undefined;
  annotate(resource: 'pods' | 'nodes', name: string, annotation: string, value: string | undefined): Promise<void>;
  /** `reason: message` of all events about a pod. */
  events(name?: string): readonly string[];
  close(): Promise<void>;
}

export async function simulate(clock: Clock, nodes = 1, seed = 1): Promise<Simulation> {
  const store = createMemoryStore({ freeze: true });
  const random = seededRandom(seed);
  const plane = createControlPlane({ store, clock, random });
  const admin = plane.clientFor(systemUser, 'test');
  for (const name of ['default', 'kube-node-lease']) {
    await admin.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } };
  await admin.create('serviceaccounts', account);
  for (const node of createNodes(nodes)) await admin.create('nodes', node);
  const errors: unknown[] = [];
  const started: Controller[] = [];
  const pod = (name = 'web-0') => plane.view.get<PodObject>('pods', 'default', name);
  return {
    plane,
    store,
    admin,
    errors,
    start(options = {}) {
      const context = {
        view: plane.view,
        clock,
        random,
        clientFor: plane.controllerClient,
        report: (_controller: string, _key: string, error: unknown) => errors.push(error),
      };
      const handle = startNodes(context, {
        clientForNode: (node) => plane.clientFor(nodeUser(node), 'kubelet'),
        ...options,
      });
      started.push(handle);
      return handle;
    },
    async create(...pods) {
      for (const each of pods) await admin.create('pods', each);
    },
    pod,
    node(name) {
      const node = plane.view.get<NodeObject>('nodes', '', name);
      if (!node) throw new Error(`no node ${name}`);
      return node;
    },
    condition: (type, name) => pod(name)?.status?.conditions?.find((each) => each.type === type)?.status,
    async annotate(resource, name, annotation, value) {
      await admin.modify(resource, resource === 'pods' ? 'default' : '', name, (draft) => {
        const { [annotation]: _, ...others } = draft.metadata.annotations ?? {};
        draft.metadata.annotations = value === undefined ? others : { ...others, [annotation]: value };
        return draft;
      });
    },
    events: (name = 'web-0') =>
      plane.view
        .list('events', 'default')
        .filter((event) => (event['involvedObject'] as { name: string }).name === name)
        .map((event) => `${event['reason']}: ${event['message']}`),
    async close() {
      for (const handle of started) handle.stop();
      plane.close();
      await store.close();
    },
  };
}
