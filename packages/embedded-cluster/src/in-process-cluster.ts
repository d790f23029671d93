import type { ConnectWebhook } from './admission/webhooks/webhook-client.ts';
import { frontOf } from './api-front.ts';
import type { User } from './auth/user.ts';
import { type ControlPlane, createControlPlane } from './control-plane.ts';
import type { Pace } from './controllers/all.ts';
import type { Controller } from './controllers/controller.ts';
import { type InProcessServer, serveInProcess } from './http/server.ts';
import { startParts } from './start-parts.ts';
import { createMemoryStore, type StoreContents } from './store/memory-store.ts';
import type { Clock } from './time/clock.ts';
import type { Random } from './time/random.ts';

export interface InProcessOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Who may come in, and by which token. */
  readonly tokens: ReadonlyMap<string, User>;
  readonly pace: Pace;
  /** How webhooks are reached. */
  readonly connectWebhook: ConnectWebhook;
  /** Of service account tokens, which no client asks for here. PEM. */
  readonly signingKey: string;
  /** What another cluster held, and this one begins with. */
  readonly contents?: StoreContents;
  /** Puts into the store what is to be there before any controller looks. */
  prepare(plane: ControlPlane): Promise<void>;
  /** Mistakes of our own, and what could not be done. */
  report(message: string, error: unknown): void;
}

export interface InProcessCluster {
  readonly plane: ControlPlane;
  readonly api: InProcessServer;
  close(): Promise<void>;
}

/** No client connects to simulated pods here, and no certificate is shown. */
const noNetwork = { caCertificate: '', speed: 1, sockets: false, certificate: { certificate: '', key: '' } } as const;

/**
 * A whole cluster without a socket: a client that speaks to its API hands it a connection. All waiting is by the clock that it is
 * given, so that time can be virtual, and one run can be like another.
 */
export async function startInProcessCluster(options: InProcessOptions): Promise<InProcessCluster> {
  const { clock, random, tokens, signingKey, connectWebhook, report } = options;
  const store = createMemoryStore({}, options.contents);
  const wire = { clock, batchMsEach: 0 };
  const plane = createControlPlane({ store, clock, random, wire, connectWebhook });
  const controllers: Controller[] = [];
  const front = frontOf(plane, { signingKey, staticTokens: tokens, random, acts: true, ready: () => true, report });
  const api = serveInProcess(front);
  const close = async () => {
    for (const controller of controllers) controller.stop();
    await api.close();
    plane.close();
    await store.close();
  };
  try {
    await startParts(
      plane,
      { clock, random, prepare: options.prepare, acting: { ...noNetwork, pace: options.pace }, report },
      controllers,
    );
  } catch (error) {
    await close();
    throw error;
  }
  return { plane, api, close };
}
