import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningOperator } from '../../packages/holdfast/src/operator/operator.ts';
import { hasKubectl, type Kubectl, kubectlFor } from '../clients/kubectl.ts';
import { observeAvailability } from '../support/availability.ts';
import { type FaultBed, faultBed } from './support/bed.ts';
import { drainArguments } from './support/drainer.ts';
import { eventually } from './support/eventually.ts';
import { type RestartableCluster, restartableCluster } from './support/restartable.ts';
import { createDeployment, createPub, evict, nothingReserved, podsOn } from './support/shop.ts';

const pods = 60;
const mayBeDown = 12;
const drained = ['node-1', 'node-2'];
let server: RestartableCluster;
let bed: FaultBed;
let operators: readonly RunningOperator[] = [];
let kubectl: Kubectl;
let namespace = '';

beforeAll(async () => {
  if (!hasKubectl) return;
  server = await restartableCluster(6);
  bed = await faultBed({ base: server });
  operators = [await bed.replica(), await bed.replica()];
  namespace = await server.newNamespace();
  await createDeployment(server, namespace, 'web', pods);
  await createPub(server, namespace, 'web', { selector: { matchLabels: { app: 'web' } }, maxUnavailable: mayBeDown });
  kubectl = await kubectlFor(server.kubeconfig, namespace);
}, 120_000);
afterAll(async () => {
  await kubectl?.close();
  await bed?.close();
});

const drain = () => kubectl(`drain ${drained.join(' ')} ${drainArguments}`);

describe.skipIf(!hasKubectl)('an API server that goes and comes back during a drain', () => {
  it('[I1] finds operators that go on by themselves, and the drain can be finished', async () => {
    const observer = await observeAvailability(server, { namespace });
    const first = drain();
    await eventually(() => observer.lowest < pods, 'the first pods go');
    await server.restart(async () => {
      // Long enough for every client to notice: requests fail, watches have ended.
      await eventually(async () => !(await server.request('GET', '/readyz').catch(() => false)), 'no server answers');
    });
    // kubectl does not wait for a server that is gone, but says what it could not do: the user drains again.
    await first;
    await eventually(async () => (await drain()).code === 0, 'the drain finishes');
    await eventually(() => operators.every((one) => one.missing().length === 0), 'the operators are ready');
    expect(await podsOn(server, namespace, drained)).toEqual([]);
    await eventually(() => observer.available === pods, 'all pods are back');
    await nothingReserved(server, namespace);
    const [pod = ''] = await podsOn(server, namespace, ['node-3']);
    expect((await evict(server, namespace, pod, { dryRun: true })).code).toBe(201);
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(pods - mayBeDown);
    observer.close();
  });
});
