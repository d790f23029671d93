import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { type RunningAgent, startAgent } from '../../../packages/holdfast/src/agent/agent.ts';
import { agentName, agentsNamespace } from '../../../packages/holdfast/src/api/installation-names.ts';
import { condition } from '../../../packages/holdfast/src/api/names.ts';
import { agentPolicies } from '../../../packages/holdfast/src/install/manifests/agent-policies.ts';
import {
  agentRbacObjects,
  agentServiceAccountOf,
} from '../../../packages/holdfast/src/install/manifests/agent-rbac.ts';
import { defaultInstallValues } from '../../../packages/holdfast/src/install/values/values.ts';
import { probeLeaseName } from '../../../packages/holdfast/src/kube/probes/lease-name.ts';
import { systemRandom } from '../../../packages/holdfast/src/kube/time/random.ts';
import { createLogger } from '../../../packages/holdfast/src/telemetry/log.ts';
import { scaledClock } from '../../../packages/holdfast/test/agent/support/scaled-clock.ts';
import { applyManifest, serviceAccountAccess } from '../../support/installed.ts';
import type { Answer } from '../../support/kube-http.ts';
import type { ProtectedCluster } from '../../support/protected-cluster.ts';
import { blockersOf } from './refusals.ts';
import { conditionOf, type Scene } from './scene.ts';
import { type WaitLimits, waitUntil } from './wait.ts';

/** How much faster than real agents are here: they probe every second, and that shall not take one. */
const speed = 10;

export type StartAgent = (node: string, leaseSeconds?: number) => Promise<RunningAgent>;

/** Agents that run as the manifests would have it, with their own service account. All are stopped at the end. */
export async function agentsOf(cluster: ProtectedCluster): Promise<StartAgent> {
  const { operatorNamespace: namespace } = cluster;
  const values = { ...defaultInstallValues, namespace };
  for (const object of [agentServiceAccountOf(values), ...agentRbacObjects(values), ...agentPolicies(values)]) {
    await applyManifest(cluster, object);
  }
  const started: RunningAgent[] = [];
  // One for all of them, as on a machine whose clock is right: times in leases are compared with it.
  const clock = scaledClock(speed);
  afterAll(async () => {
    for (const agent of started) await agent.stop();
  });
  return async (node, leaseSeconds = 40) => {
    const agent = await startAgent(
      {
        namespace: agentsNamespace,
        nodes: [node],
        identity: `agent_${randomBytes(4).toString('hex')}`,
        leaseDurationSeconds: leaseSeconds,
        permits: { execNamespaces: [], hosts: [] },
        health: { host: '127.0.0.1', port: 0 },
      },
      {
        access: await serviceAccountAccess(cluster, { namespace, name: agentName }, node),
        clock,
        random: systemRandom,
        log: createLogger({ level: 'error', format: 'text', write: () => undefined, now: () => 0 }),
      },
    );
    let stopped: Promise<void> | undefined;
    const once = {
      ...agent,
      stop: () => {
        stopped ??= agent.stop();
        return stopped;
      },
    };
    started.push(once);
    return once;
  };
}

export function leasePath(node: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${agentsNamespace}/leases/${probeLeaseName(node)}`;
}

/** What an eviction would be told. Nothing comes of asking. */
export function wouldEvict(scene: Scene, pod: string): Promise<Answer> {
  return scene.evict(pod, {}, '?dryRun=All');
}

export async function untilEvictable(scene: Scene, pod: string, limits: WaitLimits = {}): Promise<void> {
  await waitUntil(
    `${pod} can be evicted`,
    async () => told(await wouldEvict(scene, pod)),
    (text) => text === 'yes',
    limits,
  );
}

/** Until this and nothing else keeps it from being evicted. */
export async function untilBlocked(scene: Scene, pod: string, ...codes: readonly string[]): Promise<void> {
  const expected = codes.join(', ');
  await waitUntil(
    `${pod} is blocked by ${expected}`,
    async () => told(await wouldEvict(scene, pod)),
    (text) => text === expected,
  );
}

function told(answer: Answer): string {
  return answer.code < 300 ? 'yes' : blockersOf(answer).join(', ');
}

export async function untilShown(scene: Scene, pod: string, status: 'True' | 'False'): Promise<void> {
  await waitUntil(
    `${pod} shows ${status}`,
    async () => conditionOf((await scene.pod(pod)).body, condition.disruptable)?.status,
    (shown) => shown === status,
  );
}
