import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type AddOn, type AddOnKey, addOns, usualAddOns } from './add-ons.ts';
import { Api } from './api.ts';
import { ensurePrograms, type Say } from './build.ts';
import {
  addOnManager,
  apiServer,
  auditLogOf,
  controllerManager,
  etcd,
  kwok,
  type Ports,
  type Site,
  scheduler,
} from './components.ts';
import { writeCredentials } from './credentials.ts';
import { furnish, installAddOn, untilAddOnAnswers, untilNodesReady } from './furnish.ts';
import { Keeper } from './keeper.ts';
import { type Environment, versionOf } from './modules.ts';
import { freePorts } from './ports.ts';
import type { ProgramKey } from './programs.ts';

export interface TestbedOptions {
  /** node-1 to node-N, in three zones in turn. Default: 6. */
  readonly nodes?: number;
  /** Controllers, scheduler and nodes. Without them there is an API server, and nobody acts on what is written. Default: true. */
  readonly controllers?: boolean;
  /** Controllers of others. Default: LeaderWorkerSet and JobSet, where there are controllers. */
  readonly addOns?: readonly AddOnKey[];
  /** OpenKruise's, as its manager takes them (`Name=false,...`). Default: as they come. */
  readonly kruiseFeatureGates?: string;
  /** A file with an AdmissionConfiguration for the API server. */
  readonly admissionConfig?: string;
  /** Gives up starting. */
  readonly signal?: AbortSignal;
  /** Leave the folder with logs and data behind. */
  readonly keep?: boolean;
  readonly env?: Environment;
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
  const { env = process.env, say = () => undefined, signal } = options;
  const paths = await ensurePrograms(['kubectl', ...programsFor(options)], { env, say, ...(signal && { signal }) });
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-testbed-'));
  const keeper = new Keeper(options.keep === true ? undefined : folder);
  try {
    const site = await siteIn(folder, paths, versionOf('kubernetes', env));
    const { kruiseFeatureGates, admissionConfig } = options;
    const chosen = {
      ...(kruiseFeatureGates === undefined ? {} : { kruiseFeatureGates }),
      ...(admissionConfig === undefined ? {} : { admissionConfig }),
    };
    await bringUp({ ...site, ...chosen }, keeper, options);
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

function addOnsFor({ controllers = true, addOns = controllers ? usualAddOns : [] }: TestbedOptions) {
  return addOns;
}

function programsFor({ controllers = true, ...options }: TestbedOptions): ProgramKey[] {
  return [
    'etcd',
    'apiServer',
    ...(controllers ? (['controllerManager', 'scheduler', 'kwok'] as const) : []),
    ...addOnsFor({ controllers, ...options }),
  ];
}

async function siteIn(folder: string, paths: Site['programs'], version: string): Promise<Site> {
  const ports = await choosePorts();
  const credentials = writeCredentials(join(folder, 'credentials'), serverOf(ports));
  return { folder, programs: paths, credentials, ports, version };
}

function serverOf({ api }: Ports): string {
  return `https://127.0.0.1:${api}`;
}

async function choosePorts(): Promise<Ports> {
  const names = ['api', 'etcd', 'etcdPeer', 'controllerManager', 'scheduler', 'kwok', ...Object.keys(addOns)];
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
    for (const key of addOnsFor(options)) await startAddOn(site, keeper, api, addOns[key], say);
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

async function startAddOn(site: Site, keeper: Keeper, api: Api, addOn: AddOn, say: Say): Promise<void> {
  say(`starting ${addOn.title}`);
  const manifests = dirname(site.programs[addOn.key] ?? '');
  await installAddOn(api, addOn, manifests, { port: site.ports[addOn.key], ca: site.credentials.ca });
  keeper.start(addOnManager(site, addOn));
  await untilAddOnAnswers(api, addOn, startMs);
}
