import { randomBytes } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { InstallationMode } from '../api/installation-names.ts';
import { defaultNamespace, installationModes, ports } from '../api/installation-names.ts';
import {
  defaultFeatureGates,
  defaultInstallValues,
  enforcedRolloutGate,
  type FeatureGates,
  failurePolicies,
  type InstallValues,
  logLevels,
  parseFeatureGates,
  projectionModes,
  takeoverProblem,
} from '../install/index.ts';
import { loadAccess } from '../kube/config/load.ts';
import { realClock } from '../kube/time/clock.ts';
import { systemRandom } from '../kube/time/random.ts';
import { type OperatorSettings, startOperator } from '../operator/index.ts';
import { createLogger, type LogFormat, type LogLevel } from '../telemetry/log.ts';
import { repeated } from './agent/agent-options.ts';
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
  readonly registerWebhooks?: InstallValues['webhook']['failurePolicy'];
  readonly webhookTimeout: number;
  readonly webhookCaBundle?: string;
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
    .description(
      'decide by the budgets whether pods may be evicted, deleted or updated (this is what the Deployment runs)',
    )
    .option(
      '--kubeconfig <file>',
      'cluster and credentials (default: KUBECONFIG, ~/.kube/config, or those of the pod it runs in)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--namespace <name>', "the operator's own namespace", process.env['POD_NAMESPACE'] ?? defaultNamespace)
    .addOption(
      new Option('--mode <enforce|observe>', 'observe: judge every request, refuse none, and say what would be refused')
        .choices([...installationModes])
        .default('enforce'),
    )
    .addOption(
      new Option(
        '--takeover <on|off>',
        'when the budgets allow an eviction, delete the pod in its place; off: leave it to Kubernetes, which counts pods',
      )
        .argParser(takeoverMode)
        .default('on'),
    )
    .addOption(
      new Option(
        '--projection <on|off>',
        'write how many units (pods or groups) may be disrupted into disruptionsAllowed of PodDisruptionBudgets that Holdfast judges (needs --takeover=on)',
      )
        .choices([...projectionModes])
        .default('on'),
    )
    .option('--webhook-port <port>', 'port of the webhooks; 0: any free one', port, ports.webhook)
    .option('--health-port <port>', 'port of /healthz, /readyz and /metrics; 0: any free one', port, ports.health)
    .option(
      '--webhook-url <url>',
      'run outside of the cluster: register the webhooks at this URL, such as https://127.0.0.1:9443',
      httpsUrl,
    )
    .addOption(
      new Option(
        '--register-webhooks <policy>',
        'in a cluster: put the webhooks into their empty configurations when all replicas are available, with this failure policy',
      ).choices([...failurePolicies]),
    )
    .option(
      '--webhook-timeout <seconds>',
      'how long API servers wait for an answer (with --register-webhooks)',
      timeoutSeconds,
      defaultInstallValues.webhook.timeoutSeconds,
    )
    .option(
      '--webhook-ca-bundle <base64>',
      'whom API servers are to trust, where neither the operator nor cert-manager says so (with --register-webhooks)',
      pemOf,
    )
    .option(
      '--webhook-host <address>',
      'listen for webhooks at this address only (default: 127.0.0.1 where --webhook-url is on this machine, else all)',
    )
    .option(
      '--client-ca-file <file>',
      'API servers must show a client certificate that one of these authorities signed (needs --client-names)',
    )
    .option('--client-names <names>', 'the client certificate must have one of these names, separated by commas', names)
    .option(
      '--bearer <users>',
      'API servers must show a bearer token of one of these users, separated by commas',
      names,
    )
    .option(
      '--certificates <dir>',
      'serve tls.crt and tls.key of this directory (default: its own certificates, in a Secret)',
    )
    .addOption(
      new Option('--feature-gates <gates>', `switch features on or off: ${enforcedRolloutGate}=true|false`)
        .argParser(featureGates)
        .default(defaultFeatureGates, `${enforcedRolloutGate}=true`),
    )
    .addOption(
      new Option(
        '--allow-probe-host <host>',
        'disruption probes may name this host instead of their pod; may be repeated',
      )
        .argParser(repeated)
        .default([], 'none'),
    )
    .addOption(new Option('--log-level <level>', 'how much to log').choices([...logLevels]).default('info'))
    .addOption(
      new Option('--log-format <format>', 'json for log collectors, text for people')
        .choices(['json', 'text'])
        .default('json'),
    )
    .option('--no-budget-metrics', 'export no metrics of single budgets')
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
      ...fillOf(options),
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
      '--client-ca-file and --client-names need each other: an authority may also sign certificates of other clients',
    );
  }
  return {
    ...(clientCaFile === undefined ? {} : { clients: { file: clientCaFile, names: clientNames ?? [] } }),
    ...(bearer === undefined ? {} : { bearer }),
  };
}

function fillOf(options: Options): Pick<OperatorSettings['webhook'], 'fill'> {
  const { registerWebhooks: failurePolicy, webhookTimeout, webhookCaBundle: caBundle } = options;
  if (failurePolicy === undefined) return {};
  const trust = caBundle === undefined ? {} : { caBundle };
  return { fill: { failurePolicy, timeoutSeconds: webhookTimeout, ...trust } };
}

function timeoutSeconds(text: string): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < 2 || value > 30) {
    throw new InvalidArgumentError('must be a whole number from 2 to 30.');
  }
  return value;
}

function pemOf(text: string): string {
  const pem = Buffer.from(text, 'base64').toString();
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) {
    throw new InvalidArgumentError('must be certificates as PEM, in base64.');
  }
  return pem;
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
