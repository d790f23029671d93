import { describe, expect, it } from 'vitest';
import { made } from '../support/cluster.ts';
import { all, brokenPods, images, set, waitShape, waitState } from './support/rollouts.ts';
import { contentTypes, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';

const { cluster, skipped } = await suite();
const { better } = images;

const template = {
  metadata: { name: 'data' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'e2e',
    resources: { requests: { storage: '1Gi' } },
  },
};
const wish = { spec: { volumeClaimTemplates: [template] } };
const names = ['web-0', 'web-1', 'web-2'].map((pod) => `data-${pod}`);

/** A volume for each claim: nobody makes any there, and pods are not scheduled without. */
async function volumesIn({ namespace }: Scene): Promise<void> {
  for (const claim of names) {
    const name = cluster.name(`${namespace}-${claim}`);
    const spec = {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'e2e',
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claim },
      hostPath: { path: '/nowhere' },
    };
    const body = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec };
    await made(cluster.request('POST', '/api/v1/persistentvolumes', { body }));
    cluster.cleanUp(`/api/v1/persistentvolumes/${name}`);
  }
}

const claimPath = ({ namespace }: Scene, name = '') =>
  `/api/v1/namespaces/${namespace}/persistentvolumeclaims${name === '' ? '' : `/${name}`}`;

/** Which they are, and whether they have changed. */
async function claimsOf(scene: Scene): Promise<Readonly<Record<string, string>>> {
  const { items } = await made(cluster.request('GET', claimPath(scene)));
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.uid]));
}

async function ownClaim(scene: Scene, name: string, owners: readonly object[] | null): Promise<void> {
  const body = { metadata: { ownerReferences: owners } };
  await made(cluster.request('PATCH', claimPath(scene, name), { contentType: contentTypes.merge, body }));
}

async function sceneWithClaims(...broken: readonly string[]): Promise<Scene> {
  const scene = await sceneIn(cluster);
  await volumesIn(scene);
  await brokenPods(scene, wish, ...broken);
  return scene;
}

describe.skipIf(skipped).concurrent('claims', () => {
  it('[R2] stay as they are when pods are replaced', async () => {
    const scene = await sceneWithClaims('web-0', 'web-1', 'web-2');
    const before = await claimsOf(scene);
    expect(Object.keys(before).sort()).toEqual(names);
    await scene.apply(set({ ...wish, image: better }));
    await waitShape(scene, all(3, better));
    expect(await claimsOf(scene)).toEqual(before);
  });

  it('[R2] that belong to a pod keep it from being replaced, since they would go with it', async () => {
    const scene = await sceneWithClaims('web-0');
    const before = await claimsOf(scene);
    const { metadata } = await made(scene.pod('web-0'));
    // As Kubernetes leaves it when a set with `whenScaled: Delete` is scaled down and up again while the pod is broken.
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: metadata.uid, controller: true };
    await ownClaim(scene, 'data-web-0', [owner]);
    await scene.apply(set({ ...wish, image: better }));
    await waitState(scene, /^blocked by web-0: its replacement is refused: its claim data-web-0 belongs to it/);
    await ownClaim(scene, 'data-web-0', null);
    await waitShape(scene, all(3, better));
    expect(await claimsOf(scene)).toEqual(before);
  });
});
