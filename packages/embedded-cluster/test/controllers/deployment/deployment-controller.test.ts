import { afterEach, describe, expect, it } from 'vitest';
import type { DeploymentObject, ReplicaSetObject } from '../../../src/controllers/common/workloads.ts';
import { startDeploymentController } from '../../../src/controllers/deployment/deployment-controller.ts';
import { startReplicaSetController } from '../../../src/controllers/replicaset/replicaset-controller.ts';
import { ApiError } from '../../../src/errors.ts';
import { FakeCluster } from '../fake-cluster.ts';
import { deployment, template } from '../workloads.ts';

const deployments = 'apps/deployments';
const replicaSets = 'apps/replicasets';
const revision = 'deployment.kubernetes.io/revision';
let cluster: FakeCluster;

afterEach(() => cluster.stop());

async function start(spec: Partial<DeploymentObject['spec']> = {}): Promise<void> {
  cluster = new FakeCluster().start(startDeploymentController, startReplicaSetController);
  await cluster.client.create(deployments, deployment('web', spec));
  await cluster.run();
}

const get = () => cluster.get<DeploymentObject>(deployments, 'web');
const sets = () => cluster.view.list<ReplicaSetObject>(replicaSets, 'default');
const edit = (change: (spec: DeploymentObject['spec']) => void) =>
  cluster.edit<DeploymentObject>(deployments, 'web', ({ spec }) => change(spec));
const setImage = (image: string) =>
  edit((spec) => {
    spec.template = template(image);
  });
const condition = (type: string) => get().status?.conditions?.find((one) => one.type === type);
const sizes = () =>
  Object.fromEntries(sets().map((one) => [one.spec.template?.spec?.containers[0]?.image, one.spec.replicas]));

describe('Deployment controller', () => {
  it('makes a replica set that carries the hash, the revision and the sizes', async () => {
    await start();
    const [set] = sets();
    const hash = set?.metadata.labels?.['pod-template-hash'];
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
    expect(set?.metadata.name).toBe(`web-${hash}`);
    expect(set?.spec.selector.matchLabels).toEqual({ app: 'web', 'pod-template-hash': hash });
    expect(set?.spec.template?.metadata?.labels).toEqual({ app: 'web', 'pod-template-hash': hash });
    expect(set?.metadata.annotations).toEqual({
      [revision]: '1',
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '4',
    });
    expect(get().metadata.annotations).toEqual({ [revision]: '1' });
    expect(cluster.events('web')).toEqual([`ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 3`]);
  });

  it('reports a settled rollout', async () => {
    await start();
    const name = sets()[0]?.metadata.name;
    expect(get().status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    });
    expect(get().status).not.toHaveProperty('unavailableReplicas');
    expect(condition('Available')).toMatchObject({ status: 'True', reason: 'MinimumReplicasAvailable' });
    expect(condition('Progressing')).toMatchObject({
      status: 'True',
      reason: 'NewReplicaSetAvailable',
      message: `ReplicaSet "${name}" has successfully progressed.`,
    });
  });

  it('rolls to a new template and keeps the old replica set for later', async () => {
    await start();
    await setImage('app:2');
    await cluster.run();
    expect(sizes()).toEqual({ 'app:1': 0, 'app:2': 3 });
    expect(get().metadata.annotations?.[revision]).toBe('2');
    expect(cluster.pods()).toHaveLength(3);
  });

  it('goes back to an old replica set under a new revision, with a history', async () => {
    await start();
    await setImage('app:2');
    await cluster.run();
    await setImage('app:1');
    await cluster.run();
    const back = sets().find((one) => one.spec.replicas === 3);
    expect(sizes()).toEqual({ 'app:1': 3, 'app:2': 0 });
    expect(back?.metadata.annotations).toMatchObject({
      [revision]: '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
    expect(get().metadata.annotations?.[revision]).toBe('3');
  });

  it('keeps no more old replica sets than it should', async () => {
    await start({ revisionHistoryLimit: 1 });
    for (const image of ['app:2', 'app:3', 'app:4']) {
      await setImage(image);
      await cluster.run();
    }
    expect(sizes()).toEqual({ 'app:3': 0, 'app:4': 3 });
  });

  it('stops at a broken template, says so when time is up, and recovers', async () => {
    await start({ replicas: 4 });
    await setImage('broken:2');
    await cluster.run();
    expect(sizes()).toEqual({ 'app:1': 3, 'broken:2': 2 });
    expect(condition('Progressing')?.reason).toBe('ReplicaSetUpdated');
    await cluster.clock.advance(602_000);
    await cluster.run();
    expect(condition('Progressing')).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
    expect(condition('Available')?.status).toBe('True');
    await setImage('app:3');
    await cluster.run();
    expect(sizes()).toEqual({ 'app:1': 0, 'broken:2': 0, 'app:3': 4 });
    expect(condition('Progressing')?.reason).toBe('NewReplicaSetAvailable');
  });

  it('spreads a change of size in the middle of a rollout', async () => {
    await start({
      replicas: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
    });
    await setImage('broken:2');
    await cluster.run();
    expect(sizes()).toEqual({ 'app:1': 8, 'broken:2': 5 });
    await edit((spec) => {
      spec.replicas = 15;
    });
    await cluster.quiet();
    expect(sizes()).toEqual({ 'app:1': 11, 'broken:2': 7 });
  });

  it('starts nothing while it is paused, but scales', async () => {
    await start();
    await edit((spec) => {
      spec.paused = true;
      spec.template = template('app:2');
      spec.replicas = 5;
    });
    await cluster.run();
    expect(sizes()).toEqual({ 'app:1': 5 });
    expect(condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused' });
    await edit((spec) => {
      spec.paused = false;
    });
    await cluster.run();
    expect(sizes()).toEqual({ 'app:1': 0, 'app:2': 5 });
  });

  it('recreates: no new pod before the last old one is gone', async () => {
    await start({ strategy: { type: 'Recreate' } });
    await setImage('app:2');
    await cluster.quiet();
    expect(sizes()).toEqual({ 'app:1': 0 });
    expect(cluster.pods()).toHaveLength(3);
    await cluster.run();
    expect(sizes()).toEqual({ 'app:1': 0, 'app:2': 3 });
  });

  it('copies annotations, except those that are its own business', async () => {
    cluster = new FakeCluster().start(startDeploymentController);
    const made = deployment('web');
    made.metadata.annotations = {
      'kubernetes.io/change-cause': 'first',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
    };
    await cluster.client.create(deployments, made);
    await cluster.quiet();
    expect(sets()[0]?.metadata.annotations).toMatchObject({ 'kubernetes.io/change-cause': 'first' });
    expect(sets()[0]?.metadata.annotations).not.toHaveProperty(['kubectl.kubernetes.io/last-applied-configuration']);
  });

  it('takes another hash when its name is taken', async () => {
    await start();
    const name = sets()[0]?.metadata.name as string;
    cluster.stop();
    const other = new FakeCluster();
    cluster = other.start(startDeploymentController);
    await other.client.create(replicaSets, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name, namespace: 'default', labels: { app: 'other' } },
      spec: { replicas: 0, selector: { matchLabels: { app: 'other' } }, template: template('x', { app: 'other' }) },
    });
    await other.client.create(deployments, deployment('web'));
    await other.quiet();
    expect(get().status?.collisionCount).toBe(1);
    expect(sets()).toHaveLength(2);
  });

  it('tells when a replica set is refused', async () => {
    cluster = new FakeCluster().start(startDeploymentController);
    const refusal = new ApiError({ code: 403, reason: 'Forbidden', message: 'exceeded quota' });
    cluster.refuse = (verb, resource) => (verb === 'create' && resource === replicaSets ? refusal : undefined);
    await cluster.client.create(deployments, deployment('web'));
    await cluster.clock.advance(1000);
    expect(condition('Progressing')).toMatchObject({ status: 'False', reason: 'ReplicaSetCreateError' });
    expect(cluster.events('web')[0]).toMatch(
      /^ReplicaSetCreateError: Failed to create new replica set "web-.*": exceeded quota$/,
    );
    cluster.refuse = () => undefined;
    await cluster.clock.advance(60_000);
    expect(sets()).toHaveLength(1);
  });

  it('only reports on itself while it is being deleted', async () => {
    await start();
    await cluster.edit<DeploymentObject>(deployments, 'web', (draft) => {
      draft.metadata.finalizers = ['test/hold'];
    });
    await cluster.client.delete(deployments, 'default', 'web');
    await setImage('app:2');
    await cluster.run();
    expect(sizes()).toEqual({ 'app:1': 3 });
    expect(get().status?.observedGeneration).toBe(2);
  });
});
