import { randomBytes } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { Command, Option } from 'commander';
import { startAgent } from '../agent/agent.ts';
import {
  type AgentSettings,
  defaultLeaseSeconds,
  defaultMaxProbes,
  maxLeaseSeconds,
  minLeaseSeconds,
} from '../agent/settings.ts';
import { loadAccess } from '../kube/config/load.ts';
import { realClock } from '../kube/time/clock.ts';
import { systemRandom } from '../kube/time/random.ts';
import { agentsNamespace, ports } from '../operator/install/names.ts';
import { logLevels } from '../operator/install/values.ts';
import { createLogger, type LogFormat, type LogLevel } from '../telemetry/log.ts';
import { execNamespacesOf, type NodeOptions, nodeName, nodesOf, repeated, wholeNumber } from './agent-options.ts';
import { StopRequest } from './stop-request.ts';

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
    .description('ask the pods of a node whether they can be lost now (this is what the DaemonSet runs)')
    .option(
      '--kubeconfig <file>',
      'the cluster, and as whom (default: KUBECONFIG, ~/.kube/config, or the pod it runs in)',
    )
    .option('--context <name>', 'another context of the kubeconfig')
    .option('--namespace <name>', 'where the leases of nodes are kept', agentsNamespace)
    .option('--node <name>', 'probe the pods of this node; may be repeated (default: NODE_NAME)', nodeName)
    .option('--all-nodes', 'probe the pods of all nodes')
    .option(
      '--lease-duration <seconds>',
      'how long answers count after this agent was last heard of',
      wholeNumber(minLeaseSeconds, maxLeaseSeconds),
      defaultLeaseSeconds,
    )
    .option(
      '--exec-namespace <name>',
      'run the commands of exec probes in this namespace; may be repeated, * for all; needs the right to create pods/exec',
      repeated,
      [],
    )
    .option(
      '--allow-probe-host <host>',
      'probes may name this host instead of their pod; may be repeated',
      repeated,
      [],
    )
    .option('--max-probes <number>', 'probes under way at the same time', wholeNumber(1, mostProbes), defaultMaxProbes)
    .option(
      '--health-port <port>',
      'where /healthz, /readyz and /metrics are served; 0: any free one',
      wholeNumber(0, maxPort),
      ports.health,
    )
    .addOption(new Option('--log-level <level>', 'how much to log').choices([...logLevels]).default('info'))
    .addOption(
      new Option('--log-format <format>', 'for collectors or for people').choices(['json', 'text']).default('json'),
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
