import type { Client } from '../client.ts';
import type { Controller, ControllerContext } from '../controllers/controller.ts';

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
  readonly startDelayMs?: number;
  /** False: nodes renew no leases. For simulations that nobody watches nodes in. */
  readonly heartbeats?: boolean;
  /** False: only warnings become events, not every start and stop. */
  readonly lifecycleEvents?: boolean;
  /** What listeners of HTTPS probes show; without it they are not opened. PEM. */
  readonly certificate?: { readonly certificate: string; readonly key: string };
}

export interface NodesHandle extends Controller {
  stop(): void;
}

export function startNodes(_context: ControllerContext, _options: NodesOptions): NodesHandle {
  return { stop: () => undefined };
}
