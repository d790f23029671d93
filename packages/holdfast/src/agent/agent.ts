import { createClients } from '../kube/client/clients.ts';
import { targetOf } from '../kube/config/target-of.ts';
import { EventRecorder } from '../kube/events/recorder.ts';
import { Connection } from '../kube/transport/connection.ts';
import type { ServerTarget } from '../kube/transport/target.ts';
import { type HealthServer, startHealthServer } from '../telemetry/health/health-server.ts';
import { createReadiness, type Readiness } from '../telemetry/health/readiness.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { createAgentMetrics } from './agent-metrics.ts';
import { PodWatch } from './pods/pod-watch.ts';
import { type ProbedPodState, ProbedPods } from './pods/probed-pods.ts';
import type { ProbeResult } from './probes/probe-result.ts';
import { createProber, type Prober } from './probes/prober.ts';
import { ConditionWriter } from './publish/condition-writer.ts';
import { LeaseKeeper } from './publish/lease-keeper.ts';
import { LeaseKeepers } from './publish/lease-keepers.ts';
import { agentPurposeLimits } from './purposes.ts';
import { type AgentEnvironment, type AgentRuntime, type AgentSettings, defaultMaxProbes } from './settings.ts';
import { ProbeSlots } from './worker/probe-slots.ts';

export interface RunningAgent {
  readonly healthPort: number;
  /** Why it is not ready; empty: it is. */
  missing(): readonly string[];
  /** Stops probing and renewing. What it said stays, and is believed until its leases run out. */
  stop(): Promise<void>;
}

const component = 'holdfast-agent';

/** How an agent meets the world. */
export interface AgentEdges {
  readonly api: ServerTarget;
  readonly prober: Prober;
  showHealth(readiness: Readiness, metrics: Metrics): Promise<HealthServer>;
}

/** Resolves when it has begun; its pods are probed as it comes to know them. */
export function startAgent(settings: AgentSettings, environment: AgentEnvironment): Promise<RunningAgent> {
  const { access, clock } = environment;
  const api = targetOf(access, clock);
  return runAgent(settings, environment, {
    api,
    prober: createProber({ clock, api, permits: settings.permits }),
    showHealth: (readiness, metrics) => startHealthServer({ ...settings.health, readiness, metrics }),
  });
}

/** The same, with whatever ways to the API server and to the applications there are. */
export async function runAgent(
  settings: AgentSettings,
  environment: AgentRuntime,
  edges: AgentEdges,
): Promise<RunningAgent> {
  const parts = assemble(settings, environment, edges);
  const { watch, keepers, writer, probedPods, recorder, connection, metrics } = parts;
  const readiness = createReadiness(
    new Map([
      ['the pods of its nodes', () => watch.synced],
      ['the leases of its nodes', () => keepers.allHeld()],
    ]),
  );
  const health = await edges.showHealth(readiness, metrics);
  keepers.start();
  writer.start();
  watch.start();
  return {
    healthPort: health.port,
    missing: () => readiness.missing(),
    async stop() {
      readiness.stop();
      // Leases first: nothing that happens from here on may be told as found out.
      await keepers.close();
      await watch.close();
      probedPods.close();
      await writer.close();
      await recorder.stop();
      await health.close();
      connection.close();
    },
  };
}

function assemble(settings: AgentSettings, environment: AgentRuntime, { api, prober }: AgentEdges) {
  const { clock, random, log, runtimeMetrics = true } = environment;
  const connection = new Connection(api, { clock, userAgent: component });
  const clients = createClients(connection, agentPurposeLimits, clock);
  const recorder = recorderOf(clients.events, settings, environment);
  const metrics = createMetrics({ runtime: runtimeMetrics });
  const slots = new ProbeSlots(settings.maxProbes ?? defaultMaxProbes);
  const measured = createAgentMetrics(metrics, () => ({
    ...probedPods.counts(),
    oldestLeaseMs: keepers.oldestMs(),
    waiting: slots.waiting(),
  }));
  const served = settings.nodes === 'all' ? undefined : new Set(settings.nodes);
  const probedPods = new ProbedPods({
    terms: {
      clock,
      random,
      prober,
      slots,
      permits: settings.permits,
      startedAt: clock.monotonic(),
    },
    serves: (node) => served?.has(node) ?? true,
    onProbed: (pod, question, result, tookMs) => {
      measured.probed(question, result, tookMs);
      if (result.warning === true) warn(recorder, pod, result);
    },
    onTouched: (uid) => writer.touch(uid),
    onNode: (node) => keepers.touch(node),
  });
  const keepers = new LeaseKeepers({
    always: [...(served ?? [])],
    hasPods: (node) => probedPods.has(node),
    create: (node) =>
      new LeaseKeeper({
        node,
        namespace: settings.namespace,
        identity: settings.identity,
        durationMs: settings.leaseDurationSeconds * 1000,
        client: clients.leases,
        clock,
        random,
        log,
        disruptable: () => probedPods.disruptable(node),
        // Before all pods are known, one that is not there may be there.
        standing: (uid, since) => probedPods.standing(uid, since) ?? (watch.synced ? undefined : 'unasked'),
        onWrite: (written) => measured.wrote('lease', written),
      }),
  });
  const writer = new ConditionWriter({
    probedPods,
    client: clients.conditions,
    clock,
    log,
    recorder,
    speaksFor: (node) => keepers.holds(node),
    settled: (node, uid, listed) => keepers.settled(node, uid, listed),
    onWrite: (written) => measured.wrote('condition', written),
  });
  const watch = new PodWatch({
    client: clients.watch,
    nodes: settings.nodes,
    clock,
    random,
    log,
    onDelta: (delta) => probedPods.take(delta),
  });
  return { connection, recorder, metrics, probedPods, keepers, writer, watch };
}

function recorderOf(
  client: ConstructorParameters<typeof EventRecorder>[0]['client'],
  { identity }: AgentSettings,
  { clock, random, log }: AgentRuntime,
): EventRecorder {
  return new EventRecorder({
    client,
    clock,
    random,
    component,
    instance: identity,
    report: (problem) => log.warn('an event could not be written', { problem }),
  });
}

function warn(recorder: EventRecorder, { metadata }: ProbedPodState, { output }: ProbeResult): void {
  const { namespace, name, uid } = metadata;
  const subject = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
  recorder.record({ subject, type: 'Warning', reason: 'ProbeWarning', message: output });
}
