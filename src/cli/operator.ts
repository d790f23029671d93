import { randomBytes } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { loadAccess } from '../kube/config/load.ts';
import { realClock } from '../kube/time/clock.ts';
import { systemRandom } from '../kube/time/random.ts';
import {
  defaultFeatureGates,
  enforcedRolloutGate,
  type FeatureGates,
  parseFeatureGates,
} from '../operator/feature-gates.ts';
import { defaultNamespace, ports } from '../operator/install/names.ts';
import {
  type InstallationMode,
  installationModes,
  logLevels,
  projectionModes,
  takeoverProblem,
} from '../operator/install/values.ts';
import { startOperator } from '../operator/operator.ts';
import type { OperatorSettings } from '../operator/settings.ts';
import { createLogger, type LogFormat, type LogLevel } from '../telemetry/log.ts';
import { repeated } from './agent-options.ts';
import { StopRequest } from './stop-request.ts';

interface Options {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly mode: InstallationMode;
  readonly takeover: OperatorSettings['takeover'];
  readonly projection: NonNullable<OperatorSettings['projection']>;
  readonly webhookPort: number;
  readonly healthPort: number;
  readonly webhookUrl?: string;
  readonly webhookHost?: string;
  readonly clientCaFile?: string;
  readonly clientNames?: readonly string[];
  readonly bearer?: readonly string[];
  readonly certificates?: string;
  readonly featureGates: FeatureGates;
  readonly allowProbeHost: readonly string[];
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly budgetMetrics: boolean;
}

/** Endpoints of a Service forget a pod within a few seconds of its not being ready. */
const noticeMs = 5_000;
/** Until every connection that is in use has had an answer, and ended with it. */
const lettingGoMs = 1_000;
const maxPort = 65_535;

export function operatorCommand(): Command {
  return new Command('operator')
    .description('judge every voluntary disruption in a cluster by its budgets (this is what the Deployment runs)')
    .option(
      '--kubeconfig <file>',
      'the cluster, and as whom (default: KUBECONFIG, ~/.kube/config, or the pod it runs in)',
    )
    .option('--context <name>', 'another context of the kubeconfig')
    .option('--namespace <name>', "the operator's own namespace", process.env['POD_NAMESPACE'] ?? defaultNamespace)
    .addOption(
      new Option('--mode <enforce|observe>', 'observe: judge every request, refuse none, and say what would be refused')
        .choices([...installationModes])
        .default('enforce'),
    )
    .addOption(
      new Option('--takeover <on|off>', 'complete the evictions itself that a budget judged, PDB or PUB')
        .argParser(takeoverMode)
        .default('on'),
    )
    .addOption(
      new Option(
        '--projection <on|off>',
        'show units that may be disrupted in disruptionsAllowed of PodDisruptionBudgets (needs --takeover=on)',
      )
        .choices([...projectionModes])
        .default('on'),
    )
    .option('--webhook-port <port>', 'where the webhooks are served; 0: any free one', port, ports.webhook)
    .option(
      '--health-port <port>',
      'where /healthz, /readyz and /metrics are served; 0: any free one',
      port,
      ports.health,
    )
    .option(
      '--webhook-url <url>',
      'run outside of the cluster: register the webhooks at this URL, such as https://127.0.0.1:9443',
      httpsUrl,
    )
    .option(
      '--webhook-host <address>',
      'listen for webhooks at this address only (default: 127.0.0.1 where --webhook-url is on this machine, else all)',
    )
    .option(
      '--client-ca-file <file>',
      'API servers must show a client certificate that one of these authorities signed (needs --client-names)',
    )
    .option('--client-names <names>', 'names of which the client certificate must have one, separated by commas', names)
    .option(
      '--bearer <users>',
      'API servers must show a bearer token of one of these users, separated by commas',
      names,
    )
    .option(
      '--certificates <dir>',
      'serve tls.crt and tls.key from here (default: certificates of its own, in a Secret)',
    )
    .option(
      '--feature-gates <gates>',
      `switch features on or off: ${enforcedRolloutGate}=true|false (on by default)`,
      featureGates,
      defaultFeatureGates,
    )
    .option(
      '--allow-probe-host <host>',
      'disruption probes may name this host instead of their pod; may be repeated',
      repeated,
      [],
    )
    .addOption(new Option('--log-level <level>', 'how much to log').choices([...logLevels]).default('info'))
    .addOption(
      new Option('--log-format <format>', 'for collectors or for people').choices(['json', 'text']).default('json'),
    )
    .option('--no-budget-metrics', 'without series for each budget')
    .action(run);
}

async function run(options: Options): Promise<void> {
  const settings = settingsOf(options);
  const { kubeconfig, context } = options;
  const access = await loadAccess({ env: process.env, home: homedir(), kubeconfig, context });
  if (!access.ok) throw new Error(access.problem);
  const log = createLogger({
    level: options.logLevel,
    format: options.logFormat,
    write: (line) => void process.stdout.write(line),
    now: () => realClock.now(),
  });
  const stop = new StopRequest();
  try {
    log.info('the operator starts', { ...settings, server: access.value.server.href });
    const giveUp = new AbortController();
    void stop.requested.then(() => giveUp.abort());
    const environment = { access: access.value, clock: realClock, random: systemRandom, log, signal: giveUp.signal };
    const operator = await startOperator(settings, environment).catch((error: unknown) => {
      if (stop.isRequested) return undefined;
      throw error;
    });
    if (operator === undefined) return;
    log.info('the webhooks are served', { port: operator.webhookPort, health: operator.healthPort });
    await stop.requested;
    log.info('the operator stops');
    await operator.stop();
  } finally {
    stop.close();
  }
}

function settingsOf(options: Options): OperatorSettings {
  const { namespace, mode, takeover, projection, webhookUrl, certificates, featureGates, budgetMetrics } = options;
  const host = options.webhookHost ?? (isLoopback(webhookUrl) ? loopback : undefined);
  // In a pod the installation has registered the webhooks, and endpoints have to hear that this replica is going.
  const outside = process.env['POD_NAME'] === undefined;
  return {
    namespace,
    identity: `${process.env['POD_NAME'] ?? hostname()}_${randomBytes(4).toString('hex')}`,
    mode,
    takeover,
    projection,
    webhook: {
      ...(host === undefined ? {} : { host }),
      port: options.webhookPort,
      ...callersOf(options),
      ...(webhookUrl === undefined ? {} : { url: webhookUrl, register: outside }),
    },
    health: { port: options.healthPort },
    ...(certificates === undefined ? {} : { certificates }),
    featureGates,
    allowProbeHosts: options.allowProbeHost,
    budgetMetrics,
    noticeMs: outside ? lettingGoMs : noticeMs,
  };
}

const loopback = '127.0.0.1';

/** What only this machine can reach need not be offered to others. */
function isLoopback(url: string | undefined): boolean {
  if (url === undefined) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname.startsWith('127.');
}

function callersOf({ clientCaFile, clientNames, bearer }: Options): Partial<OperatorSettings['webhook']> {
  if ((clientCaFile === undefined) !== (clientNames === undefined)) {
    throw new Error(
      '--client-ca-file and --client-names go together: an authority may sign certificates of others, too',
    );
  }
  return {
    ...(clientCaFile === undefined ? {} : { clients: { file: clientCaFile, names: clientNames ?? [] } }),
    ...(bearer === undefined ? {} : { bearer }),
  };
}

function names(text: string): readonly string[] {
  const list = text.split(',').map((one) => one.trim());
  if (list.some((one) => one === '')) throw new InvalidArgumentError('must be names, separated by commas.');
  return list;
}

function featureGates(text: string): FeatureGates {
  const parsed = parseFeatureGates(text);
  if (!parsed.ok) throw new InvalidArgumentError(`${parsed.problem}.`);
  return parsed.gates;
}

function takeoverMode(text: string): OperatorSettings['takeover'] {
  const problem = takeoverProblem(text);
  if (problem !== undefined) throw new InvalidArgumentError(`${problem}.`);
  return text === 'off' ? 'off' : 'on';
}

function port(text: string): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value > maxPort) {
    throw new InvalidArgumentError(`must be a whole number from 0 to ${maxPort}.`);
  }
  return value;
}

function httpsUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') throw new InvalidArgumentError('must be a URL like https://127.0.0.1:9443.');
  return text;
}
