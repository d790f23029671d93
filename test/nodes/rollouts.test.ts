import { afterAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../e2e/support/wait.ts';
import type { Body } from '../support/kube-http.ts';
import { statefulSet } from './support/objects.ts';
import { type NodesScene, nodesScene, patience } from './support/scene.ts';

const scenes: NodesScene[] = [];
afterAll(() => Promise.all(scenes.map((scene) => scene.close())));

/** One pod after the other: the built-in rollout waits forever for one that never becomes ready. */
function enforced(image: string) {
  const set = statefulSet('db', 3, {}, { image });
  return {
    ...set,
    spec: { ...set.spec, podManagementPolicy: 'OrderedReady', updateStrategy: { type: 'EnforcedRollingUpdate' } },
  };
}

function waitingReason({ status }: Body): string {
  const [first] = (status['containerStatuses'] ?? []) as readonly { state?: { waiting?: { reason?: string } } }[];
  return first?.state?.waiting?.reason ?? '';
}

const imageOf = ({ spec }: Body) => (spec['containers'] as readonly { readonly image: string }[])[0]?.image;

describe('EnforcedRollingUpdate with real images', () => {
  it.each([
    { what: 'does not exist', image: 'holdfast.test/app:missing', reason: /ErrImagePull|ImagePullBackOff/ },
    { what: 'crashes', image: 'holdfast.test/app:crashes', reason: /CrashLoopBackOff|Error/ },
  ])('is repaired by the next template after an image that $what', async ({ image, reason }) => {
    const scene = await nodesScene();
    scenes.push(scene);
    await scene.apply(enforced('holdfast.test/app:1'));
    await scene.waitReady(3, 'app=db');
    await scene.apply(enforced(image));
    const broken = (pods: readonly Body[]) => pods.filter((pod) => reason.test(waitingReason(pod)));
    const stuck = await waitUntil(
      'a pod is broken',
      () => scene.pods('app=db'),
      (pods) => broken(pods).length > 0,
      patience,
    );
    expect(broken(stuck).length).toBe(1);
    await scene.apply(enforced('holdfast.test/app:2'));
    const repaired = await waitUntil(
      'every pod has the new image',
      () => scene.pods('app=db'),
      (pods) => pods.length === 3 && pods.every((pod) => imageOf(pod) === 'holdfast.test/app:2'),
      patience,
    );
    expect(repaired.length).toBe(3);
    await scene.waitReady(3, 'app=db');
  });
});
