import { copyFileSync, mkdtempSync } from 'node:fs';
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

export interface TestbedOptions {
  /** node-1 to node-N, in three zones in turn. Default: 6. */
  readonly nodes?: number;
  /** With the controller of LeaderWorkerSets. Default: true. */
  readonly lws?: boolean;
  /** Where the administrator's kubeconfig is put, beside the one in the test bed's own folder. */
  readonly kubeconfig?: string;
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
const needed = ['etcd', 'apiServer', 'controllerManager', 'scheduler', 'kwok'] as const;

/** A Kubernetes control plane on loopback, with simulated nodes, which ends with this process at the latest. */
export async function startTestbed(options: TestbedOptions = {}): Promise<Testbed> {
  const { env = process.env, say = () => undefined } = options;
  const paths = await ensurePrograms(
    [...needed, 'kubectl', ...(options.lws === false ? [] : ['lws' as const])],
    env,
    say,
  );
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-testbed-'));
  const keeper = new Keeper(options.keep === true ? undefined : folder);
  try {
    const site = await siteIn(folder, paths);
    await bringUp(site, keeper, options.nodes ?? 6, say);
    const kubeconfigPath = options.kubeconfig ?? site.credentials.kubeconfig('admin');
    if (options.kubeconfig !== undefined) copyFileSync(site.credentials.kubeconfig('admin'), options.kubeconfig);
    return {
      kubeconfigPath,
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

async function bringUp(site: Site, keeper: Keeper, nodes: number, say: Say): Promise<void> {
  const api = new Api(serverOf(site.ports), site.credentials, keeper);
  try {
    say('starting etcd and the API server');
    keeper.start(etcd(site));
    keeper.start(apiServer(site));
    await api.until('the API server is ready', startMs, async () => (await api.ask('/readyz')).code === 200);
    say('starting controllers, the scheduler and the nodes');
    await furnish(api, nodes);
    for (const component of [controllerManager, scheduler, kwok]) keeper.start(component(site));
    await untilNodesReady(api, nodes, startMs);
    if (site.programs.lws === undefined) return;
    say('starting LeaderWorkerSet');
    await installLws(api, dirname(site.programs.lws), { port: site.ports.lwsWebhook, ca: site.credentials.ca });
    keeper.start(lws(site));
    await untilLwsAnswers(api, startMs);
  } finally {
    api.close();
  }
}
