import { type Metrics, requestBuckets } from '../telemetry/metrics.ts';
import type { ProbeResult } from './probes/probe-result.ts';
import type { ProbeQuestion } from './probes/prober.ts';

export interface AgentMetrics {
  probed(question: ProbeQuestion, result: ProbeResult, tookMs: number): void;
  wrote(what: 'condition' | 'lease', written: boolean): void;
}

export interface AgentNumbers {
  readonly probed: number;
  readonly vetoing: number;
  readonly oldestLeaseMs: number;
  /** Probes that wait for their turn, by namespace. */
  readonly waiting: ReadonlyMap<string, number>;
}

export function createAgentMetrics(metrics: Metrics, numbers: () => AgentNumbers): AgentMetrics {
  const probes = metrics.counter({
    name: 'agent_probes_total',
    help: 'Disruption probes that finished, by handler and result.',
    labels: ['handler', 'result'],
  });
  const durations = metrics.histogram(
    {
      name: 'agent_probe_duration_seconds',
      help: 'Duration of disruption probes, without the time they waited for a free slot.',
      labels: ['handler'],
    },
    requestBuckets,
  );
  const writes = metrics.counter({
    name: 'agent_writes_total',
    help: 'Attempts to write a condition or a lease, by result.',
    labels: ['what', 'result'],
  });
  const probedPods = metrics.gauge({
    name: 'agent_probed_pods',
    help: 'Pods with a disruption probe on the nodes of this agent.',
    labels: [],
  });
  const vetoing = metrics.gauge({
    name: 'agent_vetoing_pods',
    help: 'Probed pods that are not disruptable now.',
    labels: [],
  });
  const age = metrics.gauge({
    name: 'agent_lease_age_seconds',
    help: 'Time since the last renewal of the oldest lease of this agent.',
    labels: [],
  });
  const waiting = metrics.gauge({
    name: 'agent_waiting_probes',
    help: 'Disruption probes that wait for a free slot, because their pod, their namespace or the node runs as many as it may.',
    labels: ['namespace'],
  });
  let shown: ReadonlyMap<string, number> = new Map();
  metrics.beforeRender(() => {
    const now = numbers();
    for (const namespace of shown.keys()) if (!now.waiting.has(namespace)) waiting.remove({ namespace });
    for (const [namespace, count] of now.waiting) waiting.set({ namespace }, count);
    shown = now.waiting;
    probedPods.set({}, now.probed);
    vetoing.set({}, now.vetoing);
    age.set({}, now.oldestLeaseMs / 1000);
  });
  return {
    probed({ handler }, { result }, tookMs) {
      probes.add({ handler: handler.kind, result });
      durations.observe({ handler: handler.kind }, tookMs / 1000);
    },
    wrote: (what, written) => writes.add({ what, result: written ? 'ok' : 'failed' }),
  };
}
