import { createAuthenticator } from './auth/authenticate.ts';
import { startClusterRoleAggregation } from './auth/cluster-role-aggregation.ts';
import { adminUser, renderKubeconfig } from './auth/kubeconfig.ts';
import { createPki, type Pki } from './auth/pki.ts';
import { createServiceAccountTokens } from './auth/service-account-tokens.ts';
import { nodeUser, systemUser, type User } from './auth/user.ts';
import { bootstrap } from './bootstrap.ts';
import { type ControlPlane, createControlPlane } from './control-plane.ts';
import { startApiControllers, startControllers } from './controllers/all.ts';
import type { Controller, ControllerContext } from './controllers/controller.ts';
import { documentHandler } from './http/documents.ts';
import { handlePath } from './http/paths.ts';
import { ResourceHandler } from './http/resource-handler.ts';
import { type RunningServer, type ServerLimits, startServer } from './http/server.ts';
import { specialHandlers } from './http/special-handlers.ts';
import { recordedVersion } from './kinds/recorded.ts';
import { createRequestMetrics } from './metrics.ts';
import { createExecHandler, createLogHandler } from './nodes/streams.ts';
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
  /** Mistakes of our own, and what could not be done. */
  readonly report: (message: string, error: unknown) => void;
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
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
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
    await startParts({ plane, pki, options, clock, random }, controllers);
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

interface Parts {
  readonly plane: ControlPlane;
  readonly pki: Pki;
  readonly options: ClusterOptions;
  readonly clock: Clock;
  readonly random: Random;
}

async function startParts({ plane, pki, options, clock, random }: Parts, controllers: Controller[]): Promise<void> {
  const context: ControllerContext = {
    view: plane.view,
    clock,
    random,
    clientFor: plane.controllerClient,
    report: (controller, key, error) => options.report(`${controller}: ${key}`, error),
  };
  controllers.push(...startApiControllers(context, plane));
  await options.prepare?.(plane);
  await bootstrap(plane.clientFor(systemUser, 'kube-apiserver'), plane.view);
  controllers.push(startClusterRoleAggregation(context));
  if (options.controllers === false) return;
  const started = startControllers(context, {
    plane,
    caCertificate: pki.material.caCertificate,
    speed: options.speed ?? 1,
    sockets: options.sockets ?? true,
    certificate: { certificate: pki.material.serverCertificate, key: pki.material.serverKey },
    clientForNode: (node) => plane.clientFor(nodeUser(node), 'kubelet'),
  });
  controllers.push(...started);
}

async function startApi(
  plane: ControlPlane,
  pki: Pki,
  options: ClusterOptions,
  random: Random,
  ready: () => boolean,
): Promise<RunningServer> {
  const { registry, types, view, authorizer } = plane;
  const tokens = createServiceAccountTokens({
    view,
    clock: registry.clock,
    random,
    signingKey: pki.material.serviceAccountKey,
  });
  const authenticator = createAuthenticator({
    staticTokens: options.staticTokens ?? new Map(),
    serviceAccounts: tokens,
  });
  const special = specialHandlers({ registry, authenticator, authorizer, tokens, readLog: createLogHandler(view) });
  const resources = new ResourceHandler(registry, special);
  const metrics = createRequestMetrics(registry.store, types);
  let documents: ReturnType<typeof documentHandler> | undefined;
  const version = versionDocument();
  return startServer({
    port: options.port ?? 0,
    pki: pki.material,
    authenticator,
    authorizer,
    handleResource: (exchange) => resources.handle(exchange),
    handlePath(request, info, query) {
      // Which port it is, is known when someone has come in by it.
      documents ??= documentHandler(types, `127.0.0.1:${request.socket.localPort}`);
      return handlePath({ version, ready, metrics: () => metrics.render(), documents }, request, info, query);
    },
    handleUpgrade: createExecHandler(registry),
    observe: metrics.observe,
    ...(options.limits ? { limits: options.limits } : {}),
    report: options.report,
  });
}

/** The Kubernetes whose API this is, and that it is not that Kubernetes. */
function versionDocument(): Record<string, string> {
  const { major, minor, gitVersion } = recordedVersion;
  return {
    major,
    minor,
    gitVersion: `${gitVersion}+holdfast`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: `node ${process.version}`,
    platform: `${process.platform}/${process.arch}`,
  };
}
