import { spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { type AddOnKey, addOns } from './add-ons.ts';
import { describeProgram, ensurePrograms } from './build.ts';
import { findProgram } from './find.ts';
import { BedAccess } from './nodes/bed-access.ts';
import { sweep } from './nodes/enclosure.ts';
import { mostRealNodes } from './nodes/layout.ts';
import { troubleWithNodes } from './nodes/requirements.ts';
import { nodePrograms, type ProgramKey, programs } from './programs.ts';
import { startTestbed, type Testbed } from './start.ts';
import { detachedLogPath, environmentOf, forgetState, isRunning, readState, saveState } from './state.ts';
import type { Target } from './upstream/results.ts';
import { upstreamE2e } from './upstream/upstream-e2e.ts';

const say = (line: string) => void process.stderr.write(`${line}\n`);
const print = (line: string) => void process.stdout.write(`${line}\n`);
/** What a test bed usually runs: the others take minutes to build, and who wants them says so. */
const seldomUsed: readonly ProgramKey[] = ['e2e', 'kruise', 'helm', ...nodePrograms];
const usualPrograms = (Object.keys(programs) as ProgramKey[]).filter((key) => !seldomUsed.includes(key));

interface UpOptions {
  readonly nodes: number;
  readonly realNodes?: number;
  readonly lws: boolean;
  readonly jobset: boolean;
  readonly kruise?: boolean;
  readonly keep?: boolean;
  readonly detach?: boolean;
}

interface BuildOptions {
  readonly kruise?: boolean;
  readonly helm?: boolean;
  readonly realNodes?: boolean;
}

async function build({ kruise = false, helm = false, realNodes = false }: BuildOptions): Promise<void> {
  const { env } = process;
  const keys: readonly ProgramKey[] = [
    ...usualPrograms,
    ...(kruise ? (['kruise'] as const) : []),
    ...(helm ? (['helm'] as const) : []),
    ...(realNodes ? nodePrograms : []),
  ];
  await ensurePrograms(keys, { env, say, signal: endOnSignal() });
  for (const key of keys) print(describeProgram(programs[key], findProgram(programs[key], env), env));
}

async function up(options: UpOptions): Promise<void> {
  const present = readState();
  if (present !== undefined)
    throw new Error(`a test bed is up already, with process ${present.pid}: npm run testbed -- down`);
  if (options.detach === true) return detach();
  const end = endOnSignal();
  const { nodes, realNodes = 0, keep = false } = options;
  const chosen = (Object.keys(addOns) as AddOnKey[]).filter((key) => options[key]);
  const testbed = await startTestbed({ nodes, realNodes, addOns: chosen, keep, say, signal: end });
  try {
    remember(testbed);
    say(`up: KUBECONFIG=${testbed.kubeconfigPath}\nlogs and data: ${testbed.folder}\nCtrl-C ends it`);
    await untilAborted(end);
  } finally {
    say('ending');
    await testbed.stop();
    forgetState();
  }
}

function remember({ folder, kubeconfigPath, auditLogPath, kubectlPath, bed }: Testbed): void {
  const paths = { folder, kubeconfig: kubeconfigPath, auditLog: auditLogPath, kubectl: kubectlPath };
  saveState({ pid: process.pid, ...paths, ...(bed && { bed }) });
}

/** From the start: it can be told to end while it comes up. */
function endOnSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(new Error(`ended by ${name}`)));
  }
  return controller.signal;
}

/** The timer keeps the process alive while nothing happens. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await pause(200);
}

/** The same command again, on its own, and back here when it is up. */
async function detach(): Promise<void> {
  mkdirSync(dirname(detachedLogPath), { recursive: true });
  const log = openSync(detachedLogPath, 'w');
  const args = [...process.execArgv, ...process.argv.slice(1).filter((argument) => argument !== '--detach')];
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log] });
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  while (readState() === undefined) {
    if (ended) throw new Error(`it did not come up: ${detachedLogPath}`);
    await pause(200);
  }
  child.unref();
  printEnvironment();
}

async function down(): Promise<void> {
  const state = readState();
  if (state === undefined) {
    sweep();
    return say('no test bed is up');
  }
  process.kill(state.pid, 'SIGTERM');
  while (isRunning(state.pid)) await pause(100);
}

function printEnvironment(): void {
  const state = readState();
  if (state === undefined) throw new Error('no test bed is up: npm run testbed -- up --detach');
  for (const [name, value] of Object.entries(environmentOf(state))) print(`export ${name}='${value}'`);
  print(`export PATH='${dirname(state.kubectl)}':"$PATH"`);
}

function nodesPossible(): void {
  const trouble = troubleWithNodes(process.env);
  print(trouble ?? 'real nodes can run on this machine');
  process.exitCode = trouble === undefined ? 0 : 1;
}

async function onRealNode(node: string, words: readonly string[]): Promise<void> {
  const bed = readState()?.bed;
  if (bed === undefined)
    throw new Error('no test bed with real nodes is up: npm run testbed -- up --real-nodes 3 --detach');
  const { code, out, err } = await new BedAccess(bed).runOn(node, words);
  process.stdout.write(out);
  process.stderr.write(err);
  process.exitCode = code;
}

interface UpstreamCommandOptions {
  readonly slice: readonly string[];
  readonly workers: number;
  readonly only?: string;
  readonly keep?: boolean;
}

async function upstream(target: Target | undefined, options: UpstreamCommandOptions): Promise<void> {
  const { slice: slices, keep = false, ...others } = options;
  const targets: readonly Target[] = target === undefined ? ['real', 'embedded'] : [target];
  await upstreamE2e({ ...others, targets, slices, keep }, { env: process.env, say, signal: endOnSignal() });
}

function upTo(most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!Number.isInteger(number) || number < 1 || number > most) throw new InvalidArgumentError(`from 1 to ${most}`);
    return number;
  };
}

const wholeNumber = upTo(1_000);

const command = new Command('testbed').description(
  'a real Kubernetes control plane on loopback, with simulated or real nodes',
);
command
  .command('build')
  .description('find or build every program')
  .option('--kruise', "OpenKruise's manager, too")
  .option('--helm', 'helm, too: for the tests of the chart')
  .option('--real-nodes', 'what nodes with kubelets run, too')
  .action(build);
command
  .command('up')
  .description('start it, until Ctrl-C')
  .option('--nodes <n>', 'simulated nodes, in three zones', wholeNumber, 6)
  .option('--real-nodes <n>', 'instead, so many with kubelets and containers: for root on Linux', upTo(mostRealNodes))
  .option('--no-lws', 'without the controller of LeaderWorkerSets')
  .option('--no-jobset', 'without the controller of JobSets')
  .option('--kruise', 'with OpenKruise, to which Holdfast leaves PodUnavailableBudgets')
  .option('--keep', 'leave logs and data behind')
  .option('--detach', 'leave it running; `down` ends it')
  .action(up);
command.command('down').description('end what `up` left running').action(down);
command
  .command('nodes-possible')
  .description('whether real nodes can run here, and what is missing')
  .action(nodesPossible);
command
  .command('node')
  .description('run a command on a real node, such as `node node-1 -- ip address`')
  .argument('<node>')
  .argument('<command...>')
  .action(onRealNode);
command.command('env').description('print what a shell needs to use it').action(printEnvironment);
command
  .command('upstream-e2e')
  .description("run Kubernetes' own end-to-end tests that need no containers, and write the table of what passed")
  .addArgument(new Argument('[cluster]', 'on this one alone').choices(['embedded', 'real']))
  .option('--slice <name...>', 'only these slices of config/upstream-e2e.yaml', [])
  .option('--only <text>', 'only specs with this in their name; the table stays as it is')
  .option('--workers <n>', 'specs that run beside each other', wholeNumber, 4)
  .option('--keep', 'leave reports and logs behind')
  .action(upstream);
try {
  await command.parseAsync();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
