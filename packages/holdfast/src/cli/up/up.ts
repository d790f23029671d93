import { relative, resolve } from 'node:path';
import {
  type Cluster,
  type ClusterOptions,
  type LoadReport,
  type OpenedData,
  openDataDirectory,
  type Recovered,
  removeKubeconfig,
  startCluster,
  writeKubeconfig,
} from '@holdfast/embedded-cluster';
import { realClock, sleep } from '@holdfast/embedded-cluster/time';
import type { Command } from 'commander';
import type { RunningAgent } from '../../agent/index.ts';
import { agentUser, operatorUser } from '../../api/installation-names.ts';
import type { RunningOperator } from '../../operator/index.ts';
import { loadObjects } from '../load-objects.ts';
import { StopRequest } from '../stop-request.ts';
import type { RunningUi } from '../ui/open-ui.ts';
import type { RunningUiServer } from '../ui/serve/ui-server.ts';
import { missingPage } from '../ui/ui.ts';
import { runUpAgent } from './up-agent.ts';
import { applyDemo, prepareContent } from './up-content.ts';
import { runUpOperator } from './up-operator.ts';
import { defineUpCommand, type UpOptions } from './up-options.ts';
import { type UpProgress, upProgressOn } from './up-progress.ts';
import { serviceToken } from './up-service.ts';
import { afterStart, loadNotes } from './up-texts.ts';
import { isUp, workloadsIn } from './up-workloads.ts';

export function upCommand(): Command {
  return defineUpCommand(up);
}

/** How long pods may take to become ready before we say what runs all the same. */
const patienceMs = 60_000;
const lookEveryMs = 100;

async function up(options: UpOptions): Promise<void> {
  const stop = new StopRequest();
  const progress = upProgressOn(process.stdout);
  try {
    const running = await start(options, progress, stop);
    const kubeconfig = { path: resolve(options.kubeconfig), text: running.cluster.kubeconfig() };
    let ui: RunningUi | undefined;
    try {
      await running.protect();
      if (wantsDemo(options, running)) await applyDemo(running.cluster.plane, options.operator);
      await writeKubeconfig(kubeconfig.path, kubeconfig.text);
      await untilUp(running.cluster, progress, stop);
      progress.end();
      ui = stop.isRequested ? undefined : await openPage(options, kubeconfig.path);
      if (!stop.isRequested) show(running, kubeconfig.path, options, ui?.server);
      await stop.requested;
      process.stdout.write('stopping\n');
    } finally {
      await ui?.close();
      await running.close();
    }
    process.stdout.write(await afterwards(options, kubeconfig));
  } finally {
    progress.end();
    stop.close();
  }
}

interface Running {
  readonly cluster: Cluster;
  readonly recovered: Recovered | undefined;
  readonly loaded: LoadReport | undefined;
  /** The operator and the agent. */
  protect(): Promise<void>;
  close(): Promise<void>;
}

async function start(options: UpOptions, progress: UpProgress, stop: StopRequest): Promise<Running> {
  const snapshot = options.load.flatMap(loadObjects);
  const data = options.data === undefined ? undefined : await openData(options, options.data);
  progress.step('starting the API');
  let loaded: LoadReport | undefined;
  const tokens = { operator: serviceToken(operatorUser), agent: serviceToken(agentUser) };
  const cluster = await startOnPort({
    port: options.port,
    speed: options.speed,
    ...(data ? { store: data.store, pki: data.pki } : {}),
    staticTokens: new Map(Object.values(tokens).map(({ token, user }) => [token, user])),
    report: reporterUntil(stop),
    async prepare(plane) {
      const { nodes, operator, execNamespace: execNamespaces } = options;
      loaded = await prepareContent(plane, { snapshot, nodes, operator, execNamespaces });
    },
  });
  let operator: RunningOperator | undefined;
  let agent: RunningAgent | undefined;
  return {
    cluster,
    recovered: data?.recovered,
    loaded,
    async protect() {
      if (!options.operator) return;
      progress.step('starting the operator');
      operator = await runUpOperator(cluster, tokens.operator);
      progress.step('starting the agent');
      agent = await runUpAgent(cluster, tokens.agent, options.execNamespace);
    },
    async close() {
      await agent?.stop();
      await operator?.stop();
      await cluster.close();
    },
  };
}

/** Not in a recovered cluster, where a user may have changed or removed it. */
function wantsDemo({ empty, load }: UpOptions, { recovered }: Running): boolean {
  return !empty && load.length === 0 && (recovered === undefined || recovered.objects === 0);
}

/** The page looks at the cluster as `holdfast ui` does, with its kubeconfig. It is no reason not to start. */
async function openPage(options: UpOptions, kubeconfig: string): Promise<RunningUi | undefined> {
  if (!options.ui) return undefined;
  const { openUi } = await import('../ui/open-ui.ts');
  const open = (port: number) => openUi({ port, kubeconfig, report: (text) => warn(text.trimEnd()) });
  try {
    return await open(options.uiPort).catch(() => open(0));
  } catch (error) {
    warn(`the page cannot be served: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function show(
  { cluster, recovered, loaded }: Running,
  kubeconfig: string,
  { data, operator }: UpOptions,
  page: RunningUiServer | undefined,
): void {
  for (const note of loaded ? loadNotes(loaded) : []) warn(note);
  if (page?.pageMissing === true) warn(missingPage);
  const ui = page?.pageMissing === false ? page.address : undefined;
  process.stdout.write(afterStart(cluster, { kubeconfig, data, operator, recovered, loaded, ui }));
}

async function openData(options: UpOptions, directory: string): Promise<Extract<OpenedData, { ok: true }>> {
  const opened = await openDataDirectory(resolve(directory), warn);
  if (!opened.ok) throw new Error(opened.message);
  if (opened.recovered.objects > 0 && options.load.length > 0) {
    await opened.store.close();
    throw new Error(`${directory} holds a cluster already; --load is for a new one: choose another directory`);
  }
  return opened;
}

async function startOnPort(options: ClusterOptions): Promise<Cluster> {
  try {
    return await startCluster(options);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const advice = 'choose another with --port (0: any free one)';
    if (code === 'EADDRINUSE') {
      throw new Error(`port ${options.port} is in use, perhaps by another \`holdfast up\`: stop it, or ${advice}`);
    }
    if (code === 'EACCES') throw new Error(`port ${options.port} cannot be opened by this user: ${advice}`);
    throw error;
  }
}

async function untilUp({ plane }: Cluster, progress: UpProgress, stop: StopRequest): Promise<void> {
  const giveUp = realClock.now() + patienceMs;
  while (!stop.isRequested && realClock.now() < giveUp) {
    const workloads = workloadsIn(plane.view);
    const ready = workloads.filter(isUp).length;
    if (ready === workloads.length) return;
    progress.step(`waiting for pods: ${ready} of ${workloads.length} workloads are up`);
    await Promise.race([sleep(realClock, lookEveryMs), stop.requested]);
  }
}

/** Without a data directory nothing is ever going to answer where the kubeconfig points. */
async function afterwards({ data }: UpOptions, { path, text }: { path: string; text: string }): Promise<string> {
  if (data !== undefined) return `stopped; everything is kept in ${data}\n`;
  return (await removeKubeconfig(path, text)) ? `stopped, and removed ${relative('', path)}\n` : 'stopped\n';
}

/** As many different problems are told; a controller may meet the same one at every attempt. */
const maxProblems = 100;

function reporterUntil(stop: StopRequest): NonNullable<ClusterOptions['report']> {
  const told = new Set<string>();
  return (message, error) => {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
    const text = `${message}: ${reason}`;
    if (stop.isRequested || told.has(text) || told.size >= maxProblems) return;
    told.add(text);
    warn(text);
  };
}

function warn(text: string): void {
  process.stderr.write(`warning: ${text}\n`);
}
