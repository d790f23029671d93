import { mkdtempSync, writeFileSync } from 'node:fs';
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
import { BedAccess, type BedState } from './nodes/bed-access.ts';
import {
  cgroupOf,
  enclosureCommand,
  keptMark,
  listenOnLoopback,
  newBedFolder,
  sweep,
  untilEnclosed,
} from './nodes/enclosure.ts';
import { controlPlaneAddress } from './nodes/layout.ts';
import { type NodesWish, prepareNodes, startNodes } from './nodes/real-nodes.ts';
import { requireMachineForNodes } from './nodes/requirements.ts';
import { freePorts } from './ports.ts';
import { nodePrograms, type ProgramKey } from './programs.ts';

export interface TestbedOptions {
  /** node-1 to node-N, in three zones in turn. Default: 6. */
  readonly nodes?: number;
  /** Instead of simulated nodes, so many with kubelets, containers and networks of their own: for root on Linux. Default: none. */
  readonly realNodes?: number;
  /** Controllers, scheduler and nodes. Without them there is an API server, and no controller acts on what is written. Default: true. */
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
  /** What tests that run elsewhere need to act on its nodes; undefined: they are simulated. */
  readonly bed?: BedState;
  /** Resolves when every program has ended. */
  stop(): Promise<void>;
}

const startMs = 120_000;

/** A Kubernetes control plane on loopback, with simulated or real nodes, which ends with this process at the latest. */
export async function startTestbed(options: TestbedOptions = {}): Promise<Testbed> {
  const { env = process.env, say = () => undefined, signal, realNodes = 0 } = options;
  if (realNodes > 0) requireMachineForNodes(env);
  const paths = await ensurePrograms(['kubectl', ...programsFor(options)], { env, say, ...(signal && { signal }) });
  const place = realNodes > 0 ? await enclosedPlace(options, paths) : await plainPlace(options);
  const { folder, keeper } = place;
  try {
    const bed = await place.access(realNodes);
    const site = siteIn(place, paths, options, versionOf('kubernetes', env));
    await bringUp(site, keeper, options, bed);
    return {
      kubeconfigPath: site.credentials.kubeconfig('admin'),
      auditLogPath: auditLogOf(folder),
      kubectlPath: paths.kubectl,
      folder,
      ...(bed === undefined ? {} : { bed: bed.state }),
      stop: () => keeper.stop(),
    };
  } catch (error) {
    await keeper.stop();
    throw error;
  }
}

/** Where a test bed is, and who keeps it. */
interface Place {
  readonly folder: string;
  readonly keeper: Keeper;
  readonly ports: Ports;
  /** To its namespaces, once they are there. */
  access(nodes: number): Promise<BedAccess | undefined>;
}

async function plainPlace({ keep }: TestbedOptions): Promise<Place> {
  const ports = await choosePorts();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-testbed-'));
  return { folder, ports, keeper: new Keeper(keep === true ? undefined : folder), access: async () => undefined };
}

async function enclosedPlace({ keep = false }: TestbedOptions, paths: Site['programs']): Promise<Place> {
  sweep();
  const folder = newBedFolder();
  if (keep) writeFileSync(join(folder, keptMark), '');
  const { server, port, fd } = await listenOnLoopback();
  const enclosure = { command: enclosureCommand(folder, keep), forward: { fd, port }, sweep: () => sweep(folder) };
  const keeper = new Keeper(undefined, enclosure);
  // The keeper has it now.
  server.close();
  const access = async (nodes: number) => {
    const initPid = await untilEnclosed(folder, () => keeper.check());
    const state = { folder, cgroup: cgroupOf(folder), initPid, nodes, ctr: paths.ctr ?? '' };
    const bed = new BedAccess(state);
    await prepareNodes({ bed });
    return bed;
  };
  return { folder, keeper, ports: { ...(await choosePorts()), api: port }, access };
}

function addOnsFor({ controllers = true, addOns = controllers ? usualAddOns : [] }: TestbedOptions) {
  return addOns;
}

function programsFor({ controllers = true, realNodes = 0, ...options }: TestbedOptions): ProgramKey[] {
  const nodes = realNodes > 0 ? nodePrograms : (['kwok'] as const);
  return [
    'etcd',
    'apiServer',
    ...(controllers ? (['controllerManager', 'scheduler', ...nodes] as const) : []),
    ...addOnsFor({ controllers, ...options }),
  ];
}

function siteIn(place: Place, programs: Site['programs'], options: TestbedOptions, version: string): Site {
  const { folder, ports } = place;
  const { kruiseFeatureGates, admissionConfig, realNodes = 0 } = options;
  return {
    folder,
    ports,
    programs,
    version,
    credentials: writeCredentials(join(folder, 'credentials'), serverOf(ports)),
    ...(kruiseFeatureGates === undefined ? {} : { kruiseFeatureGates }),
    ...(admissionConfig === undefined ? {} : { admissionConfig }),
    ...(realNodes > 0 ? { controlPlaneAddress } : {}),
  };
}

function serverOf({ api }: Ports): string {
  return `https://127.0.0.1:${api}`;
}

async function choosePorts(): Promise<Ports> {
  const names = ['api', 'etcd', 'etcdPeer', 'controllerManager', 'scheduler', 'kwok', ...Object.keys(addOns)];
  const ports = await freePorts(names.length);
  return Object.fromEntries(names.map((name, index) => [name, ports[index]])) as unknown as Ports;
}

async function bringUp(site: Site, keeper: Keeper, options: TestbedOptions, bed?: BedAccess): Promise<void> {
  const { controllers = true, nodes = 6, say = () => undefined, signal } = options;
  const api = new Api(serverOf(site.ports), site.credentials, keeper, signal);
  try {
    say('starting etcd and the API server');
    keeper.start(etcd(site));
    keeper.start(apiServer(site));
    await api.until('the API server is ready', startMs, async () => (await api.ask('/readyz')).code === 200);
    if (bed !== undefined) await addRealNodes({ site, keeper, bed }, api, say);
    else if (controllers) await addControllers(site, keeper, api, nodes, say);
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

async function addRealNodes(wish: NodesWish, api: Api, say: Say): Promise<void> {
  const { site, keeper } = wish;
  say('starting controllers, the scheduler, and nodes with kubelets');
  await furnish(api, 0);
  for (const component of [controllerManager, scheduler]) keeper.start(component(site));
  await startNodes(wish, api, startMs);
}

async function startAddOn(site: Site, keeper: Keeper, api: Api, addOn: AddOn, say: Say): Promise<void> {
  say(`starting ${addOn.title}`);
  const manifests = dirname(site.programs[addOn.key] ?? '');
  await installAddOn(api, addOn, manifests, { port: site.ports[addOn.key], ca: site.credentials.ca });
  keeper.start(addOnManager(site, addOn));
  await untilAddOnAnswers(api, addOn, startMs);
}
