import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isActive, isReady } from '../../../src/controllers/common/pods.ts';
import type { DeploymentObject, ReplicaSetObject } from '../../../src/controllers/common/workloads.ts';
import { startDeploymentController } from '../../../src/controllers/deployment/deployment-controller.ts';
import { desiredStateOf } from '../../../src/controllers/deployment/deployment-fields.ts';
import { startReplicaSetController } from '../../../src/controllers/replicaset/replicaset-controller.ts';
import { FakeCluster } from '../fake-cluster.ts';
import { deployment, template } from '../workloads.ts';

const deployments = 'apps/deployments';

type Step =
  | { readonly kind: 'flip'; readonly pod: number }
  | { readonly kind: 'image'; readonly image: string }
  | { readonly kind: 'scale'; readonly replicas: number }
  | { readonly kind: 'nodes' | 'rest' };

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('flip' as const), pod: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('image' as const), image: fc.constantFrom('a:1', 'b:1', 'broken:1') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('scale' as const), replicas: fc.integer({ min: 0, max: 8 }) }),
  },
  { weight: 6, arbitrary: fc.constant({ kind: 'nodes' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'rest' as const }) },
);

const limits = fc
  .record({ maxSurge: fc.integer({ min: 0, max: 3 }), maxUnavailable: fc.integer({ min: 0, max: 3 }) })
  .filter(({ maxSurge, maxUnavailable }) => maxSurge + maxUnavailable > 0);

/** Sees every write, and remembers what broke a promise. */
class Watchdog {
  readonly broken: string[] = [];
  readonly #cluster: FakeCluster;
  #outside = false;
  #largest = 0;

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
    cluster.view.watch('pods', ({ type, previous }) => {
      const wasServing = previous !== undefined && isActive(previous as never) && isReady(previous as never);
      if (!this.#outside && type === 'MODIFIED' && wasServing) this.#checkLoss();
    });
    cluster.view.watch('apps/replicasets', () => this.#checkSize());
  }

  /** What happens in here is not the controllers' doing. */
  async outside(change: () => Promise<void>): Promise<void> {
    this.#outside = true;
    await change();
    this.#outside = false;
    this.#largest = this.#total();
  }

  #deployment(): DeploymentObject | undefined {
    return this.#cluster.view.get<DeploymentObject>(deployments, 'default', 'web');
  }

  #total(): number {
    const sets = this.#cluster.view.list<ReplicaSetObject>('apps/replicasets', 'default');
    return sets.reduce((sum, one) => sum + (one.spec.replicas ?? 0), 0);
  }

  /** A serving pod was just given up. */
  #checkLoss(): void {
    const current = this.#deployment();
    if (current === undefined) return;
    const { replicas, maxUnavailable } = desiredStateOf(current);
    const serving = this.#cluster.pods().filter((pod) => isActive(pod) && isReady(pod)).length;
    if (serving < replicas - maxUnavailable) this.broken.push(`${serving} of ${replicas} serve`);
  }

  /** Scaling the Deployment down leaves too many for a moment; nothing may be added to them. */
  #checkSize(): void {
    const current = this.#deployment();
    if (current === undefined) return;
    const { replicas, maxSurge } = desiredStateOf(current);
    const total = this.#total();
    if (total > Math.max(replicas + maxSurge, this.#largest)) this.broken.push(`${total} for ${replicas}`);
    this.#largest = Math.min(this.#largest, total);
  }
}

async function take(cluster: FakeCluster, step: Step): Promise<void> {
  const edit = (change: (spec: DeploymentObject['spec']) => void) =>
    cluster.edit<DeploymentObject>(deployments, 'web', ({ spec }) => change(spec));
  switch (step.kind) {
    case 'flip': {
      const pod = cluster.pods()[step.pod];
      if (pod?.spec.nodeName && isActive(pod))
        await cluster.setPod(pod.metadata.name, isReady(pod) ? 'unready' : 'ready');
      return;
    }
    case 'image':
      return edit((spec) => {
        spec.template = template(step.image);
      });
    case 'scale':
      return edit((spec) => {
        spec.replicas = step.replicas;
      });
    case 'nodes':
      return cluster.kubelet((pod) =>
        pod.spec.nodeName ? 'leave' : pod.spec.containers[0]?.image?.includes('broken') ? 'unready' : 'ready',
      );
    case 'rest':
  }
}

describe('a rolling Deployment', () => {
  it('never gives up more, nor has more, than it is allowed, whatever happens around it', async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.array(steps, { minLength: 5, maxLength: 25 }), async (rollingUpdate, script) => {
        const cluster = new FakeCluster();
        const watchdog = new Watchdog(cluster);
        cluster.start(startDeploymentController, startReplicaSetController);
        const made = deployment('web', { replicas: 4, strategy: { type: 'RollingUpdate', rollingUpdate } });
        await cluster.client.create(deployments, made);
        await cluster.run();
        for (const step of script) {
          await watchdog.outside(() => take(cluster, step));
          await cluster.clock.advance(step.kind === 'rest' ? 200 : 5);
        }
        cluster.stop();
        expect(watchdog.broken).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('always gets there when pods work', async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.array(steps, { maxLength: 15 }), async (rollingUpdate, script) => {
        const cluster = new FakeCluster().start(startDeploymentController, startReplicaSetController);
        const made = deployment('web', { replicas: 4, strategy: { type: 'RollingUpdate', rollingUpdate } });
        await cluster.client.create(deployments, made);
        for (const step of [...script, { kind: 'image', image: 'last:1' } as const]) {
          await take(cluster, step);
          await cluster.clock.advance(5);
        }
        await cluster.run();
        cluster.stop();
        const { spec, status } = cluster.get<DeploymentObject>(deployments, 'web');
        const images = cluster.pods().map((pod) => pod.spec.containers[0]?.image);
        expect(images).toEqual(Array.from({ length: spec.replicas ?? 0 }, () => 'last:1'));
        expect(status?.availableReplicas ?? 0).toBe(spec.replicas);
      }),
      { numRuns: 25 },
    );
  });
});
