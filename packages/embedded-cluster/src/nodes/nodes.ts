import type { Client } from '../client.ts';
import type { Controller, ControllerContext } from '../controllers/controller.ts';
import type { AddressMode } from './network/addresses.ts';
import { NodeAgent } from './node-agent.ts';
import { PodAgent } from './pods/pod-agent.ts';
import type { MachineSettings } from './pods/pod-state.ts';

export interface NodesOptions {
  /** A client with the identity of one node: user `system:node:NAME`, field manager `kubelet`. */
  clientForNode(node: string): Client;
  /** How much faster than real pods start, stop, probe and back off. */
  readonly speed?: number;
  /** False: no sockets at all; probes get the answer that the annotations say. For virtual time. */
  readonly sockets?: boolean;
  /** Listeners for probed ports at most; the probes of pods beyond it get the answer that the annotations say. */
  readonly listenerLimit?: number;
  /** Time until the containers of a pod run, unless its annotation says otherwise. */
  readonly startDelayMs?: MachineSettings['startDelayMs'];
  /** How long containers take to stop, unless an annotation says otherwise. */
  readonly stopDelayMs?: number;
  /** How long pods of Jobs run, unless an annotation says otherwise. */
  readonly jobRunMs?: number;
  /** False: nodes renew no leases. For simulations in which no controller monitors nodes. */
  readonly heartbeats?: boolean;
  /** False: only warnings become events, not every start and stop. */
  readonly lifecycleEvents?: boolean;
  /** What listeners of HTTPS probes show; without it they are not opened. PEM. */
  readonly certificate?: { readonly certificate: string; readonly key: string };
  /** Whether pods can have addresses of their own; by default it is tried out once. */
  detectAddresses?(): Promise<AddressMode>;
}

export type NodesHandle = Controller;

const defaultListenerLimit = 2000;
const defaultStartDelayMs = 500;
export const defaultStopDelayMs = 200;
const defaultJobRunMs = 3000;

/** Plays the kubelets of all nodes that carry the label of simulated ones, and the machines that their pods run on. */
export function startNodes(context: ControllerContext, options: NodesOptions): NodesHandle {
  const clients = new Map<string, Client>();
  const clientForNode = (node: string): Client => {
    const client = clients.get(node) ?? options.clientForNode(node);
    clients.set(node, client);
    return client;
  };
  const { speed = 1, startDelayMs = defaultStartDelayMs } = options;
  const { stopDelayMs = defaultStopDelayMs, jobRunMs = defaultJobRunMs } = options;
  if (!(speed > 0)) throw new RangeError(`speed must be above 0, not ${speed}`);
  const nodes = new NodeAgent(context, { heartbeats: options.heartbeats ?? true, clientForNode });
  const pods = new PodAgent(context, {
    settings: { speed, startDelayMs, stopDelayMs, jobRunMs },
    sockets: options.sockets ?? true,
    listenerLimit: options.listenerLimit ?? defaultListenerLimit,
    lifecycleEvents: options.lifecycleEvents ?? true,
    certificate: options.certificate,
    ...(options.detectAddresses ? { detect: options.detectAddresses } : {}),
    clientForNode,
  });
  return {
    stop() {
      pods.stop();
      nodes.stop();
    },
  };
}
