import type { Duplex } from 'node:stream';
import { type AgentEdges, type RunningAgent, runAgent } from '../../agent/index.ts';
import { agentsNamespace } from '../../api/installation-names.ts';
import { answeredPaths, type InstallValues } from '../../install/index.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { aborted, type Clock, sleep } from '../../kube/time/clock.ts';
import type { Random } from '../../kube/time/random.ts';
import type { ServerTarget } from '../../kube/transport/target.ts';
import {
  barePaths,
  type Certificates,
  type InProcessWebhooks,
  type OperatorEdges,
  type RunningOperator,
  registerWebhooks,
  runOperator,
  serveInProcess,
} from '../../operator/index.ts';
import type { HealthServer } from '../../telemetry/health/health-server.ts';
import type { Logger } from '../../telemetry/log.ts';

export interface ProtectionTerms {
  readonly values: InstallValues;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The API server, as the operator's service account. */
  readonly operator: ServerTarget;
  /** The API server, as the agent's service account. */
  readonly agent: ServerTarget;
  /** For what an installation does. */
  readonly administrator: KubeClient;
  readonly prober: AgentEdges['prober'];
}

export interface Protection {
  /** Takes a connection of the API server to the webhooks. */
  accept(connection: Duplex): void;
  /** Resolves when everything is in place, and requests are judged. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Where the webhooks would be found if there were a network. */
const url = 'https://holdfast.simulation';
/** There is no TLS in a simulation, but a webhook without a CA bundle is not registered. */
export const caBundle = '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n';
const identity = 'simulation';
const lookEveryMs = 50;

/** The real operator and the real agent, reached without a network. */
export function createProtection(terms: ProtectionTerms): Protection {
  const { values, clock, random, log } = terms;
  const runtime = { clock, random, log, runtimeMetrics: false };
  let webhooks: InProcessWebhooks | undefined;
  let operator: RunningOperator | undefined;
  let agent: RunningAgent | undefined;
  const edges: OperatorEdges = {
    api: terms.operator,
    certificates: async () => ({ certificates: noCertificates, authorities: caBundle }),
    keepsConnections: false,
    showHealth: async () => nowhere,
    serve: async (_, served) => {
      webhooks = serveInProcess(served);
      return webhooks;
    },
  };
  return {
    accept(connection) {
      if (webhooks === undefined) connection.destroy();
      else webhooks.accept(connection);
    },
    async start() {
      operator = await runOperator(operatorSettings(values), runtime, edges);
      await register(terms);
      agent = await runAgent(agentSettings(values), runtime, {
        api: terms.agent,
        prober: terms.prober,
        showHealth: async () => nowhere,
      });
      while (operator.missing().length > 0 || agent.missing().length > 0) await sleep(clock, lookEveryMs);
    },
    async stop() {
      await agent?.stop();
      await operator?.stop();
    },
  };
}

const nowhere: HealthServer = { port: 0, close: async () => undefined };

function operatorSettings({ namespace, takeover }: InstallValues) {
  const port = 0;
  return { namespace, identity, takeover, webhook: { port, url }, health: { port }, budgetMetrics: false };
}

function agentSettings({ agent }: InstallValues) {
  return {
    namespace: agentsNamespace,
    nodes: 'all',
    identity,
    leaseDurationSeconds: agent.leaseSeconds,
    // Nothing runs in a simulated container: the prober answers in place of a command.
    permits: { execNamespaces: 'all', hosts: agent.allowProbeHosts },
    maxProbes: agent.maxProbes,
    health: { port: 0 },
  } as const;
}

/** TLS does not exist here, and so a certificate is simply there. */
export const noCertificates: Certificates = {
  paths: barePaths,
  first: Promise.resolve({ certificate: '', key: '' }),
  current: () => ({ certificate: '', key: '' }),
  onChange: () => () => undefined,
  ready: () => true,
  lead: (signal) => aborted(signal),
  close: async () => undefined,
};

/** By the administrator, as an installation would. */
async function register({ administrator, clock, random, log, values }: ProtectionTerms): Promise<void> {
  const registered = await registerWebhooks({
    client: administrator,
    clock,
    random,
    log,
    values: { ...values, webhook: { ...values.webhook, url, caBundle } },
    paths: answeredPaths,
    signal: new AbortController().signal,
  });
  if (registered.kind === 'refused') throw new Error(registered.problem);
}
