import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Api } from './api.ts';
import { ensurePrograms, type Say } from './build.ts';
import {
  apiServer,
  auditLogOf,
  controllerManager,
  etcd,
  kwok,
  lws,
  type Ports,
  type Site,
  scheduler,
} from './components.ts';
import { writeCredentials } from './credentials.ts';
import { furnish, installLws, untilLwsAnswers, untilNodesReady } from './furnish.ts';
import { Keeper } from './keeper.ts';
import { freePorts } from './ports.ts';
import type { ProgramKey } from './programs.ts';

export interface TestbedOptions {
  /** node-1 to node-N, in three zones in turn. Default: 6. */
  readonly nodes?: number;
  /** Controllers, scheduler and nodes. Without them there is an API server, and nobody acts on what is written. Default: true. */
  readonly controllers?: boolean;
  /** With the controller of LeaderWorkerSets. Default: where there are controllers. */
  readonly lws?: boolean;
  /** Gives up starting. */
  readonly signal?: AbortSignal;
  /** Leave the folder with logs and data behind. */
  readonly keep?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly say?: Say;
}

export interface Testbed {
  readonly kubeconfigPath: string;
  /** Who evicted and deleted which pods, and what came of it: a line of JSON for each. */
  readonly auditLogPath: string;
  /** Of our version. */
  readonly kubectlPath: string;
  /** Logs and data; it is removed at the end unless it is to be kept. */
  readonly folder: string;
  /** Resolves when every program has ended. */
  stop(): Promise<void>;
}

const startMs = 120_000;

/** A Kubernetes control plane on loopback, with simulated nodes, which ends with this process at the latest. */
export async function startTestbed(options: TestbedOptions = {}): Promise<Testbed> {
  const { env = process.env, say = () => undefined } = options;
  const paths = await ensurePrograms(['kubectl', ...programsFor(options)], env, say);
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-testbed-'));
  const keeper = new Keeper(options.keep === true ? undefined : folder);
  try {
    const site = await siteIn(folder, paths);
    await bringUp(site, keeper, options);
    return {
      kubeconfigPath: site.credentials.kubeconfig('admin'),
      auditLogPath: auditLogOf(folder),
      kubectlPath: paths.kubectl,
      folder,
      stop: () => keeper.stop(),
    };
  } catch (error) {
    await keeper.stop();
    throw error;
  }
}

function programsFor({ controllers = true, lws = controllers }: TestbedOptions): ProgramKey[] {
  return [
    'etcd',
    'apiServer',
    ...(controllers ? (['controllerManager', 'scheduler', 'kwok'] as const) : []),
    ...(lws ? (['lws'] as const) : []),
  ];
}

async function siteIn(folder: string, paths: Site['programs']): Promise<Site> {
  const ports = await choosePorts();
  const credentials = writeCredentials(join(folder, 'credentials'), serverOf(ports));
  return { folder, programs: paths, credentials, ports };
}

function serverOf({ api }: Ports): string {
  return `https://127.0.0.1:${api}`;
}

async function choosePorts(): Promise<Ports> {
  const names = ['api', 'etcd', 'etcdPeer', 'controllerManager', 'scheduler', 'kwok', 'lwsWebhook'];
  const ports = await freePorts(names.length);
  return Object.fromEntries(names.map((name, index) => [name, ports[index]])) as unknown as Ports;
}

async function bringUp(site: Site, keeper: Keeper, options: TestbedOptions): Promise<void> {
  const { controllers = true, nodes = 6, say = () => undefined, signal } = options;
  const api = new Api(serverOf(site.ports), site.credentials, keeper, signal);
  try {
    say('starting etcd and the API server');
    keeper.start(etcd(site));
    keeper.start(apiServer(site));
    await api.until('the API server is ready', startMs, async () => (await api.ask('/readyz')).code === 200);
    if (controllers) await addControllers(site, keeper, api, nodes, say);
    if (site.programs.lws !== undefined) await addLws(site, keeper, api, say);
  } finally {
    api.close();
  }
}

async function addControllers(site: Site, keeper: Keeper, api: Api, nodes: number, say: Say): Promise<void> {
  say('starting controllers, the scheduler and the nodes');
  await furnish(api, nodes);
  for (const component of [controllerManager, scheduler, kwok]) keeper.start(component(site));
  await untilNodesReady(api, nodes, startMs);
}

async function addLws(site: Site, keeper: Keeper, api: Api, say: Say): Promise<void> {
  say('starting LeaderWorkerSet');
  const manifests = dirname(site.programs.lws ?? '');
  await installLws(api, manifests, { port: site.ports.lwsWebhook, ca: site.credentials.ca });
  keeper.start(lws(site));
  await untilLwsAnswers(api, startMs);
}
