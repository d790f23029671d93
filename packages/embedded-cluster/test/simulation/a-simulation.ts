import { nodeUser, systemUser } from '../../src/auth/user.ts';
import { bootstrap } from '../../src/bootstrap.ts';
import type { Client } from '../../src/client.ts';
import { createControlPlane } from '../../src/control-plane.ts';
import { startApiControllers, startControllers } from '../../src/controllers/all.ts';
import type { ControllerContext } from '../../src/controllers/controller.ts';
import { createNodes } from '../../src/nodes/create-nodes.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { seededRandom } from '../../src/time/random.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';
import type { View } from '../../src/view.ts';

export interface Simulation {
  readonly clock: VirtualClock;
  readonly view: View;
  readonly client: Client;
  /** Every write so far, with the virtual time at which it happened. */
  readonly writes: readonly string[];
  /** What controllers could not cope with. */
  readonly reports: readonly string[];
  stop(): void;
}

/** A whole cluster in virtual time: all controllers and nodes, no sockets, the same run for the same seed. */
export async function aSimulation(seed: number, nodes: number): Promise<Simulation> {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const store = createMemoryStore({ freeze: true });
  const plane = createControlPlane({ store, clock, random });
  const client = plane.clientFor(systemUser, 'simulation');
  const writes: string[] = [];
  const reports: string[] = [];
  const began = clock.now();
  store.subscribe((event) => writes.push(`${clock.now() - began} ${event.type} ${event.resource} ${event.key}`));
  const context: ControllerContext = {
    view: plane.view,
    clock,
    random,
    clientFor: plane.controllerClient,
    report: (controller, key, error) => reports.push(`${controller} ${key}: ${String(error)}`),
  };
  await bootstrap(client);
  const controllers = [
    ...startApiControllers(context, plane),
    ...startControllers(context, {
      plane,
      caCertificate: '',
      speed: 1,
      sockets: false,
      certificate: { certificate: '', key: '' },
      clientForNode: (node) => plane.clientFor(nodeUser(node), 'kubelet'),
    }),
  ];
  for (const node of createNodes(nodes)) await client.create('nodes', node);
  return {
    clock,
    view: plane.view,
    client,
    writes,
    reports,
    stop() {
      for (const controller of controllers) controller.stop();
      plane.close();
    },
  };
}
