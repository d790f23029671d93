import { describe, expect, it } from 'vitest';
import { defaultFeatureGates, enforcedRolloutGate } from '../../packages/holdfast/src/install/values/feature-gates.ts';
import { all, enforced, images, set, shape, stateOf, staysAsItIs, waitShape } from './support/rollouts.ts';
import { sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite({ featureGates: { ...defaultFeatureGates, [enforcedRolloutGate]: false } });
const { good, better, broken } = images;

describe.skipIf(skipped).concurrent('[R4] with the feature gate off', () => {
  it('the type is refused with a reason, when a set is created and when it is changed', async () => {
    const scene = await sceneIn(cluster);
    const strategy = { type: 'RollingUpdate' };
    for (const before of [undefined, set({ replicas: 0, strategy })]) {
      if (before !== undefined) await scene.apply(before);
      const refused = await scene.tryApply(set({ replicas: 0, strategy: enforced }));
      expect([refused.code, refused.body.reason]).toEqual([422, 'Invalid']);
      expect(refused.body.message).toContain(
        'spec.updateStrategy.type: Forbidden: EnforcedRollingUpdate needs the feature gate EnforcedRollingUpdateInStatefulSet, which is off',
      );
    }
  });

  it('a set that says it by its annotation is left as Kubernetes leaves it, and shows nothing', async () => {
    const scene = await sceneIn(cluster);
    const annotations = { 'holdfast.dev/update-strategy': 'EnforcedRollingUpdate' };
    const strategy = { type: 'RollingUpdate', rollingUpdate: { partition: 0 } };
    await scene.apply(set({ annotations, strategy }));
    await waitShape(scene, all(3, good));
    await scene.apply(set({ annotations, strategy, image: broken }));
    await waitShape(scene, { ...all(3, good), 'web-2': `-${broken}` });
    await scene.apply(set({ annotations, strategy, image: better }));
    await waitUntil(
      'Kubernetes has seen the template',
      () => scene.read('StatefulSet', 'web'),
      ({ metadata, status }) => status['observedGeneration'] === metadata.generation,
    );
    await staysAsItIs(scene);
    expect(await shape(scene)).toEqual({ ...all(3, good), 'web-2': `-${broken}` });
    expect(await stateOf(scene)).toBeUndefined();
  });
});
