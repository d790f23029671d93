import { randomBytes } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { Command, Option } from 'commander';
import {
  type AgentSettings,
  defaultLeaseSeconds,
  defaultMaxProbes,
  minLeaseSeconds,
  startAgent,
} from '../../agent/index.ts';
import { agentsNamespace, ports } from '../../api/installation-names.ts';
import { maxLeaseSeconds } from '../../api/probe-lease.ts';
import { logLevels } from '../../install/index.ts';
import { loadAccess } from '../../kube/config/load.ts';
import { realClock } from '../../kube/time/clock.ts';
import { systemRandom } from '../../kube/time/random.ts';
import { createLogger, type LogFormat, type LogLevel } from '../../telemetry/log.ts';
import { StopRequest } from '../stop-request.ts';
import { execNamespacesOf, type NodeOptions, nodeName, nodesOf, repeated, wholeNumber } from './agent-options.ts';

interface Options extends NodeOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly leaseDuration: number;
  readonly execNamespace: readonly string[];
  readonly allowProbeHost: readonly string[];
  readonly maxProbes: number;
  readonly healthPort: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

const maxPort = 65_535;
const mostProbes = 1_000;

export function agentCommand(): Command {
  return new Command('agent')
    .description('run the disruption probes of the pods of a node (this is what the DaemonSet runs)')
    .option(
      '--kubeconfig <file>',
      'cluster and credentials (default: KUBECONFIG, ~/.kube/config, or those of the pod it runs in)',
    )
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--namespace <name>', "namespace of the agents' leases", agentsNamespace)
    .option('--node <name>', 'probe the pods of this node; may be repeated (default: NODE_NAME)', nodeName)
    .option('--all-nodes', 'probe the pods of all nodes')
    .option(
      '--lease-duration <seconds>',
      'how long the operator trusts the last answers after this agent stops renewing its lease',
      wholeNumber(minLeaseSeconds, maxLeaseSeconds),
      defaultLeaseSeconds,
    )
    .addOption(
      new Option(
        '--exec-namespace <name>',
        'run the commands of exec probes in this namespace; may be repeated, * for all; needs the right to create pods/exec',
      )
        .argParser(repeated)
        .default([], 'none'),
    )
    .addOption(
      new Option('--allow-probe-host <host>', 'probes may name this host instead of their pod; may be repeated')
        .argParser(repeated)
        .default([], 'none'),
    )
    .option(
      '--max-probes <number>',
      'how many probes may run at the same time',
      wholeNumber(1, mostProbes),
      defaultMaxProbes,
    )
    .option(
      '--health-port <port>',
      'port of /healthz, /readyz and /metrics; 0: any free one',
      wholeNumber(0, maxPort),
      ports.health,
    )
    .addOption(new Option('--log-level <level>', 'how much to log').choices([...logLevels]).default('info'))
    .addOption(
      new Option('--log-format <format>', 'json for log collectors, text for people')
        .choices(['json', 'text'])
        .default('json'),
    )
    .action(run);
}

async function run(options: Options): Promise<void> {
  const { kubeconfig, context } = options;
  const settings = settingsOf(options);
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
    log.info('the agent starts', { ...settings, server: access.value.server.href });
    const agent = await startAgent(settings, { access: access.value, clock: realClock, random: systemRandom, log });
    await stop.requested;
    log.info('the agent stops');
    await agent.stop();
  } finally {
    stop.close();
  }
}

function settingsOf(options: Options): AgentSettings {
  return {
    namespace: options.namespace,
    nodes: nodesOf(options, process.env['NODE_NAME']),
    identity: `${process.env['POD_NAME'] ?? hostname()}_${randomBytes(4).toString('hex')}`,
    leaseDurationSeconds: options.leaseDuration,
    permits: {
      execNamespaces: execNamespacesOf(options.execNamespace),
      hosts: options.allowProbeHost,
    },
    maxProbes: options.maxProbes,
    health: { port: options.healthPort },
  };
}
