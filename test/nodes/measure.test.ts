import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { conditionOf } from '../e2e/support/scene.ts';
import { waitUntil } from '../e2e/support/wait.ts';
import { tally } from '../faults/support/shop.ts';
import { isReady, observeAvailability } from '../support/availability.ts';
import { pause } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';
import { drainAll, uncordonAll } from './support/drains.ts';
import { evictInALoop, type LoadAnswer } from './support/load.ts';
import { deployment, pub } from './support/objects.ts';
import { killHard, operatorPods, waitOperators } from './support/operators.ts';
import { containersOf } from './support/pod-cgroups.ts';
import { type NodesScene, nodesScene, patience } from './support/scene.ts';

/** HOLDFAST_TEST_MEASURE=true npm run test:nodes -- test/nodes/measure.test.ts writes bench/results/nodes.md. */
const idleMs = 30_000;
const replicas = 24;
const away = 4;
let scene: NodesScene;
const lines: string[] = [];

beforeAll(async () => {
  scene = await nodesScene();
  const budget = pub('web', { selector: { matchLabels: { app: 'web' } }, maxUnavailable: away });
  await scene.apply(deployment('web', replicas, { graceSeconds: 1 }), budget);
  await scene.waitReady(replicas, 'app=web');
  await scene.waitEnforced('pub', 'web');
});
afterAll(async () => {
  await uncordonAll(scene);
  await scene.close();
});

const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

/** From the start of its container until it was last found ready, in whole seconds, as the kubelet tells it. */
function startSeconds(pod: Body): number {
  const [first] = pod.status['containerStatuses'] as readonly { state: { running: { startedAt: string } } }[];
  const ready = conditionOf(pod, 'Ready') as unknown as { readonly lastTransitionTime: string };
  return (Date.parse(ready.lastTransitionTime) - Date.parse(first?.state.running.startedAt ?? '')) / 1000;
}

it('measures what operator and agent use while nothing happens', async () => {
  await waitOperators(scene);
  lines.push('| | memory | peak | CPU, idle | container start to Ready, last |', '|---|---|---|---|---|');
  for (const component of ['operator', 'agent'] as const) {
    const pods = await operatorPods(scene, component);
    const used = () => pods.flatMap((pod) => containersOf(scene.bed.state, pod, 'node'));
    const before = used();
    await pause(idleMs);
    const after = used();
    expect(after.length).toBe(pods.length);
    for (const [index, { memoryBytes, peakBytes, cpuNanoseconds }] of after.entries()) {
      const spent = (cpuNanoseconds - (before[index]?.cpuNanoseconds ?? 0)) / 1e6 / (idleMs / 1000);
      const start = startSeconds(pods[index] as Body);
      const row = [
        `${component} ${index + 1}`,
        mib(memoryBytes),
        mib(peakBytes),
        `${spent.toFixed(1)} millicores`,
        `${start} s`,
      ];
      lines.push(`| ${row.join(' | ')} |`);
    }
  }
});

const failed = (answers: readonly LoadAnswer[]) => answers.filter(({ code }) => code >= 500);

it('measures what a replica costs that is killed hard', async () => {
  lines.push('', '| killed | evictions asked for | failed (500) | lowest available, needed |', '|---|---|---|---|');
  const pods = await operatorPods(scene);
  for (const [index, { metadata }] of pods.entries()) {
    await waitOperators(scene);
    await scene.waitReady(replicas, 'app=web');
    const observer = await observeAvailability(scene.cluster, { namespace: scene.namespace, selector: 'app=web' });
    const load = evictInALoop(scene, 'app=web', 8);
    await waitUntil(
      'there is load',
      () => load.answers.length,
      (count) => count > 40,
      patience,
    );
    await killHard(scene, metadata.name);
    const soFar = load.answers.length;
    await waitUntil(
      'load goes on',
      () => load.answers.length,
      (count) => count > soFar + 100,
      patience,
    );
    const answers = await load.stop();
    await observer.caughtUp();
    observer.close();
    expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(replicas - away);
    const numbers = [
      `replica ${index + 1}`,
      answers.length,
      failed(answers).length,
      `${observer.lowest}, ${replicas - away}`,
    ];
    lines.push(`| ${numbers.join(' | ')} |`);
    expect(Object.keys(tally(answers)).length).toBeGreaterThan(0);
  }
});

it('measures what that costs kubectl drain', async () => {
  lines.push(
    '',
    '| kubectl drain, a replica killed meanwhile | exit code | failed evictions (500) that it reported |',
    '|---|---|---|',
  );
  for (const round of [0, 1, 2]) {
    await waitOperators(scene);
    await scene.waitReady(replicas, 'app=web');
    const victim = (await operatorPods(scene)).find((pod) => isReady(pod) && pod.spec['nodeName'] !== 'node-1');
    const drain = drainAll(['node-1']);
    await pause(1_000 + round * 500);
    await killHard(scene, victim?.metadata.name ?? '');
    const [result] = await drain;
    const failures = (result?.err.match(/failed calling webhook/g) ?? []).length;
    lines.push(`| ${round + 1} | ${result?.code} | ${failures} |`);
    await uncordonAll(scene);
  }
});

afterAll(() => {
  const head = [
    '# nodes',
    '',
    `${new Date().toISOString().slice(0, 10)}, ${scene.bed.nodes.length} nodes with kubelets on one machine of 2 cores (docs/testbed.md), load ${loadavg()[0]?.toFixed(1)} by other work at the end. Memory and CPU are those of the containers' control groups, with page cache; machines are noisy: compare rows, not digits.`,
    '',
  ];
  writeFileSync('bench/results/nodes.md', `${[...head, ...lines].join('\n')}\n`);
});
