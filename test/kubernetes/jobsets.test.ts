import { expect, it } from 'vitest';
import { type Named, pdb } from '../e2e/support/objects.ts';
import { blockersOf, expectDone, expectNotNow } from '../e2e/support/refusals.ts';
import { conditionOf, sceneIn } from '../e2e/support/scene.ts';
import { serves, suite } from '../e2e/support/suite.ts';
import type { Body } from '../support/kube-http.ts';

const { cluster, skipped } = await suite({ replicas: 2 });
const hasJobSets = !skipped && (await serves(cluster, '/apis/jobset.x-k8s.io/v1alpha2'));

/** Jobs whose pods run for an hour, and take half a minute to stop: a group that lost one stays broken meanwhile. */
function jobSet(name: string, jobs: number, podsEach: number): Named {
  const metadata = {
    labels: { app: 'web' },
    annotations: { 'sim.holdfast.dev/run-seconds': '1h', 'sim.holdfast.dev/stop-delay': '30s' },
  };
  const spec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'example.com/training:1' }] };
  const job = { parallelism: podsEach, completions: podsEach, backoffLimit: 6, template: { metadata, spec } };
  return {
    apiVersion: 'jobset.x-k8s.io/v1alpha2',
    kind: 'JobSet',
    metadata: { name },
    spec: { replicatedJobs: [{ name: 'workers', replicas: jobs, template: { spec: job } }] },
  };
}

const indexOf = ({ metadata }: Body) => metadata.labels?.['jobset.sigs.k8s.io/job-index'];

it.skipIf(!hasJobSets)(
  '[I2] a budget over a JobSet counts its jobs, and one job may lose all of its pods',
  async () => {
    const scene = await sceneIn(cluster);
    const budget = pdb('training', { maxUnavailable: 1 }, { 'holdfast.dev/budget-scope': 'PodGroup' });
    await scene.apply(jobSet('training', 3, 2), budget);
    const pods = await scene.waitReady(6);
    expect(pods.map(indexOf).sort()).toEqual(['0', '0', '1', '1', '2', '2']);
    const standing = conditionOf(await scene.waitEnforced(budget), 'holdfast.dev/GroupBudget');
    expect(standing?.message).toContain('3 groups available');
    const ofJob = (index: string) => pods.filter((pod) => indexOf(pod) === index).map(({ metadata }) => metadata.name);
    for (const name of ofJob('1')) expectDone(await scene.evict(name));
    for (const name of [...ofJob('0'), ...ofJob('2')]) {
      const refused = await scene.evict(name);
      expectNotNow(refused);
      expect(blockersOf(refused)).toEqual(['BudgetExhausted']);
    }
  },
);
