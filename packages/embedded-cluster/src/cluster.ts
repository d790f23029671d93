import { frontOf } from './api-front.ts';
import { adminUser, renderKubeconfig } from './auth/kubeconfig.ts';
import { createPki, type Pki } from './auth/pki.ts';
import type { User } from './auth/user.ts';
import { type ControlPlane, createControlPlane } from './control-plane.ts';
import type { Controller } from './controllers/controller.ts';
import { type RunningServer, type ServerLimits, startServer } from './http/server.ts';
import { type PartsTerms, startParts } from './start-parts.ts';
import { createMemoryStore } from './store/memory-store.ts';
import type { Store } from './store/store.ts';
import { type Clock, realClock } from './time/clock.ts';
import { type Random, systemRandom } from './time/random.ts';

export interface ClusterOptions {
  /** 0: any free one. */
  readonly port?: number;
  readonly store?: Store;
  readonly pki?: Pki;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Without controllers and nodes it is an API server alone, as some tests want it. */
  readonly controllers?: boolean;
  /** How much faster than real the simulated nodes are. */
  readonly speed?: number;
  /** False: pods of simulated nodes open no ports. */
  readonly sockets?: boolean;
  /** How long clients may take to send and to read. */
  readonly limits?: Partial<ServerLimits>;
  /** Puts into the store what is to be there before any controller looks. */
  readonly prepare?: (plane: ControlPlane) => Promise<void>;
  /** Tokens that were handed out beforehand, and for whom. */
  readonly staticTokens?: ReadonlyMap<string, User>;
  /** Is told about mistakes of the cluster itself, and what it could not do. By default they are warnings of the process. */
  readonly report?: (message: string, error: unknown) => void;
}

export interface Cluster {
  readonly url: string;
  readonly port: number;
  readonly plane: ControlPlane;
  /** For the user who may do everything. */
  kubeconfig(): string;
  close(): Promise<void>;
}

/** Starts a control plane with its API on 127.0.0.1; it is ready when this resolves. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const clock = options.clock ?? realClock;
  const random = options.random ?? systemRandom;
  const store = options.store ?? createMemoryStore();
  const pki = options.pki ?? createPki({ clock: realClock });
  const plane = createControlPlane({ store, clock, random });
  const controllers: Controller[] = [];
  let ready = false;
  // The port comes first: where another has it, nothing must have begun.
  const server = await startApi(plane, pki, options, random, () => ready).catch(async (error: unknown) => {
    plane.close();
    await store.close();
    throw error;
  });
  const close = async () => {
    ready = false;
    for (const controller of controllers) controller.stop();
    await server.close();
    plane.close();
    await store.close();
  };
  try {
    const { prepare, report = warn } = options;
    await startParts(plane, { clock, random, prepare, acting: actingOf(options, pki), report }, controllers);
  } catch (error) {
    await close();
    throw error;
  }
  ready = true;
  const url = `https://127.0.0.1:${server.port}`;
  return {
    url,
    port: server.port,
    plane,
    kubeconfig() {
      const client = pki.issueClient(adminUser.name, adminUser.groups);
      return renderKubeconfig({ server: url, caCertificate: pki.material.caCertificate, client });
    },
    close,
  };
}

function actingOf(options: ClusterOptions, { material }: Pki): PartsTerms['acting'] {
  if (options.controllers === false) return undefined;
  return {
    caCertificate: material.caCertificate,
    speed: options.speed ?? 1,
    sockets: options.sockets ?? true,
    certificate: { certificate: material.serverCertificate, key: material.serverKey },
  };
}

function startApi(
  plane: ControlPlane,
  pki: Pki,
  options: ClusterOptions,
  random: Random,
  ready: () => boolean,
): Promise<RunningServer> {
  const { staticTokens = new Map(), report = warn } = options;
  return startServer({
    ...frontOf(plane, {
      signingKey: pki.material.serviceAccountKey,
      staticTokens,
      random,
      acts: options.controllers !== false,
      ready,
      report,
    }),
    port: options.port ?? 0,
    pki: pki.material,
    ...(options.limits ? { limits: options.limits } : {}),
  });
}

function warn(message: string, error: unknown): void {
  process.emitWarning(`${message}: ${error instanceof Error ? error.message : String(error)}`, 'EmbeddedCluster');
}
