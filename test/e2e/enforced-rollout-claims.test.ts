import { describe, expect, it } from 'vitest';
import { made } from '../support/cluster.ts';
import { all, brokenPods, images, set, shape, waitShape, waitState } from './support/rollouts.ts';
import { contentTypes, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';
import { waitUntil } from './support/wait.ts';

const { cluster, skipped } = await suite();
const { good, better } = images;

const template = {
  metadata: { name: 'data' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'e2e',
    resources: { requests: { storage: '1Gi' } },
  },
};
const wish = { spec: { volumeClaimTemplates: [template] } };
const names = ['web-0', 'web-1', 'web-2', 'web-3'].map((pod) => `data-${pod}`);

/** A volume for each claim: there is no provisioner, and pods are not scheduled without. */
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

async function ownersOf(scene: Scene, name: string): Promise<readonly string[]> {
  const { metadata } = await made(cluster.request('GET', claimPath(scene, name)));
  return ((metadata['ownerReferences'] ?? []) as readonly { readonly uid: string }[]).map(({ uid }) => uid);
}

const isOnly = (uid: string) => (found: readonly string[]) => found.length === 1 && found[0] === uid;

/** A pod with a finalizer is not deleted when it ends. */
async function holdBack(scene: Scene, name: string, held: boolean): Promise<void> {
  await made(scene.change('Pod', name, { metadata: { finalizers: held ? ['e2e.holdfast.dev/stays'] : null } }));
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
    expect(Object.keys(before).sort()).toEqual(names.slice(0, 3));
    await scene.apply(set({ ...wish, image: better }));
    await waitShape(scene, all(3, better));
    expect(await claimsOf(scene)).toEqual(before);
  });

  it('[R2] that belong to a pod keep it from being replaced, since they would go with it', async () => {
    const scene = await sceneIn(cluster);
    await volumesIn(scene);
    const deleting = { spec: { ...wish.spec, persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } } };
    await scene.apply(set({ ...deleting, replicas: 4 }));
    await waitShape(scene, all(4, good));
    const before = await claimsOf(scene);
    await scene.setReady('web-2', false);
    // Scaled down, and up again before the highest pod is gone: Kubernetes takes back what it said of a claim when its pod is healthy.
    await holdBack(scene, 'web-3', true);
    await scene.apply(set({ ...deleting, replicas: 2 }));
    const { metadata } = await made(scene.pod('web-2'));
    await waitUntil('the claim is its own', () => ownersOf(scene, 'data-web-2'), isOnly(metadata.uid));
    await scene.apply(set({ ...deleting, replicas: 4, image: better }));
    await holdBack(scene, 'web-3', false);
    await waitState(scene, /^blocked by web-2: its deletion is refused: its claim data-web-2 is owned by it/);
    expect(await ownersOf(scene, 'data-web-2')).toEqual([metadata.uid]);
    await ownClaim(scene, 'data-web-2', null);
    await waitUntil(
      'web-2 is replaced',
      () => shape(scene),
      (found) => found['web-2'] === `+${better}`,
    );
    expect((await claimsOf(scene))['data-web-2']).toBe(before['data-web-2']);
  });
});
