import { describe, expect, it } from 'vitest';
import { hasKubectl, type Kubectl, kubectlFor } from '../clients/kubectl.ts';
import type { Body } from '../support/kube-http.ts';
import type { Named } from './support/objects.ts';
import { set as anySet, enforced, type SetWish, waitState } from './support/rollouts.ts';
import { pathOf, type Scene, sceneIn } from './support/scene.ts';
import { suite } from './support/suite.ts';

/** No pod runs here: it is about what is stored. */
const { cluster, skipped } = await suite({ nodes: 0 });

/** Without pods there is nothing that changes by itself. */
const set = (wish: SetWish = {}) => anySet({ replicas: 0, ...wish });
const settled = (scene: Scene) => waitState(scene, /^idle: spec.replicas is 0$/);

const rolling = { type: 'RollingUpdate' };
const word = 'holdfast.dev/update-strategy';

interface Strategy {
  readonly type: string;
  readonly rollingUpdate?: { readonly partition?: number };
}

/** Without what newer API servers add to it by themselves. */
function strategyOf(stored: Body): object {
  const { type, rollingUpdate } = stored.spec['updateStrategy'] as Strategy;
  return { type, ...(rollingUpdate === undefined ? {} : { partition: rollingUpdate.partition }) };
}

async function read(scene: Scene): Promise<{ readonly strategy: unknown; readonly word: string | undefined }> {
  const stored = await scene.read('StatefulSet', 'web');
  return { strategy: strategyOf(stored), word: stored.metadata.annotations?.[word] };
}

/** All that tools compare. Who wrote what when is not part of it. */
function compared({ metadata, ...rest }: Body): object {
  const { managedFields: _, resourceVersion: __, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

const isIn = { strategy: { ...rolling, partition: 0 }, word: 'EnforcedRollingUpdate' };

describe.skipIf(skipped).concurrent('a StatefulSet that asks for EnforcedRollingUpdate', () => {
  it('[R4] is stored as RollingUpdate with an annotation, and keeps its partition', async () => {
    const scene = await sceneIn(cluster);
    const strategy = { ...enforced, rollingUpdate: { partition: 2 } };
    const answer = await cluster.request('POST', pathOf(scene.namespace, 'StatefulSet'), { body: set({ strategy }) });
    expect(answer.code, answer.text).toBe(201);
    expect(await read(scene)).toEqual({ ...isIn, strategy: { ...rolling, partition: 2 } });
  });

  it('is told that it changes nothing with Parallel', async () => {
    const scene = await sceneIn(cluster);
    const body = set({ policy: 'Parallel' });
    const { headers } = await cluster.request('POST', pathOf(scene.namespace, 'StatefulSet'), { body });
    expect(headers['warning']).toMatch(/has no effect with podManagementPolicy Parallel/);
  });

  it('[R4] is the same after a server-side apply, however often, and in the dry run by which GitOps tools compare', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(set());
    await settled(scene);
    const before = await scene.read('StatefulSet', 'web');
    const dry = await scene.tryApply(set(), '&dryRun=All');
    expect(dry.code, dry.text).toBe(200);
    expect(compared(dry.body)).toEqual(compared(before));
    for (let times = 0; times < 3; times += 1) await scene.apply(set());
    expect(compared(await scene.read('StatefulSet', 'web'))).toEqual(compared(before));
    expect(await read(scene)).toEqual(isIn);
  });

  const mistakes: Readonly<Record<string, [Readonly<Record<string, string>>, RegExp]>> = {
    'an unknown word': [
      { [word]: 'Enforced' },
      /Unsupported value: "Enforced": supported values: "EnforcedRollingUpdate"/,
    ],
    'a settle time that is no number': [
      { 'holdfast.dev/rollout-settle-seconds': 'soon' },
      /metadata.annotations\[holdfast.dev\/rollout-settle-seconds\]: Invalid value: "soon"/,
    ],
    'a stop that is neither true nor false': [
      { 'holdfast.dev/rollout-stop': 'yes' },
      /supported values: "true", "false"/,
    ],
  };
  for (const [mistake, [annotations, message]] of Object.entries(mistakes)) {
    it(`[R4] is refused with ${mistake}`, async () => {
      const scene = await sceneIn(cluster);
      const answer = await scene.tryApply(set({ annotations }));
      expect([answer.code, answer.body.reason]).toEqual([422, 'Invalid']);
      expect(answer.body.message).toMatch(message);
    });
  }

  it('leaves with OnDelete, and does not come back with RollingUpdate', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(set());
    await scene.apply(set({ strategy: { type: 'OnDelete' } }));
    expect(await read(scene)).toEqual({ strategy: { type: 'OnDelete' }, word: undefined });
    await scene.apply(set({ strategy: rolling }));
    expect(await read(scene)).toMatchObject({ strategy: rolling, word: undefined });
  });

  it('keeps an annotation of its own manifest with OnDelete', async () => {
    const scene = await sceneIn(cluster);
    const annotations = { [word]: 'EnforcedRollingUpdate' };
    await scene.apply(set({ annotations, strategy: rolling }));
    await scene.apply(set({ annotations, strategy: { type: 'OnDelete' } }));
    expect((await read(scene)).word).toBe('EnforcedRollingUpdate');
  });

  it('leaves with a PUT that does not say it', async () => {
    const scene = await sceneIn(cluster);
    await scene.apply(set());
    const path = `${pathOf(scene.namespace, 'StatefulSet')}/web`;
    const { code } = await cluster.request('PUT', path, { body: set({ strategy: rolling }) });
    expect(code).toBe(200);
    expect(await read(scene)).toMatchObject({ strategy: rolling, word: undefined });
  });
});

describe.skipIf(skipped || !hasKubectl).concurrent('kubectl', () => {
  async function here(): Promise<{ readonly scene: Scene; readonly kubectl: Kubectl }> {
    const scene = await sceneIn(cluster);
    return { scene, kubectl: await kubectlFor(cluster.kubeconfig, scene.namespace) };
  }

  const file = (object: Named) => JSON.stringify(object);

  it('apply and diff: there is no difference to what is stored', async () => {
    const { scene, kubectl } = await here();
    const manifest = file(set());
    expect((await kubectl('apply -f -', manifest)).out).toBe('statefulset.apps/web created\n');
    await settled(scene);
    expect(await read(scene)).toEqual(isIn);
    const before = await scene.read('StatefulSet', 'web');
    expect(await kubectl('diff -f -', manifest)).toEqual({ code: 0, out: '', err: '' });
    const again = await kubectl('apply -f -', manifest);
    // kubectl sends the type each time, since it is not what is stored; nothing comes of it.
    expect(again).toEqual({ code: 0, out: 'statefulset.apps/web configured\n', err: '' });
    expect(compared(await scene.read('StatefulSet', 'web'))).toEqual(compared(before));
    await kubectl.close();
  });

  it('apply --server-side and diff --server-side: likewise', async () => {
    const { scene, kubectl } = await here();
    const manifest = file(set());
    await kubectl('apply --server-side -f -', manifest);
    await settled(scene);
    expect(await read(scene)).toEqual(isIn);
    expect(await kubectl('diff --server-side -f -', manifest)).toEqual({ code: 0, out: '', err: '' });
    expect(await kubectl('apply --server-side -f -', manifest)).toMatchObject({ code: 0 });
    expect(await read(scene)).toEqual(isIn);
    await kubectl.close();
  });

  it('[R4] apply of a file that no longer says it opts out, which a diff does not foresee', async () => {
    const { scene, kubectl } = await here();
    await kubectl('apply -f -', file(set()));
    await settled(scene);
    const other = file(set({ strategy: rolling }));
    // Its dry run does not send what the file last said, and that is all that changes.
    expect(await kubectl('diff -f -', other)).toEqual({ code: 0, out: '', err: '' });
    await kubectl('apply -f -', other);
    expect(await read(scene)).toMatchObject({ strategy: rolling, word: undefined });
    await kubectl('apply -f -', file(set()));
    expect(await read(scene)).toEqual(isIn);
    await kubectl.close();
  });

  it('apply of a file with the annotation: no difference, and out when it is taken away', async () => {
    const { scene, kubectl } = await here();
    const manifest = file(set({ strategy: rolling, annotations: { [word]: 'EnforcedRollingUpdate' } }));
    await kubectl('apply -f -', manifest);
    await settled(scene);
    expect(await kubectl('diff -f -', manifest)).toEqual({ code: 0, out: '', err: '' });
    expect((await kubectl('apply -f -', manifest)).out).toBe('statefulset.apps/web unchanged\n');
    await kubectl('apply -f -', file(set({ strategy: rolling })));
    expect(await read(scene)).toMatchObject({ strategy: rolling, word: undefined });
    await kubectl.close();
  });

  it('[R4] edit: what is written comes back as it is stored, and what is not touched stays', async () => {
    const { scene, kubectl } = await here();
    await scene.apply(set({ strategy: rolling }));
    const done = { code: 0, out: 'statefulset.apps/web edited\n', err: '' };
    expect(await kubectl.edit('statefulset web', 's/type: RollingUpdate/type: EnforcedRollingUpdate/')).toEqual(done);
    expect(await read(scene)).toEqual(isIn);
    await settled(scene);
    const nothing = await kubectl.edit('statefulset web', '');
    expect(nothing).toEqual({ code: 0, out: '', err: 'Edit cancelled, no changes made.\n' });
    expect(await kubectl.edit('statefulset web', 's/app:1/app:9/')).toEqual(done);
    expect(await read(scene)).toEqual(isIn);
    expect(await kubectl.edit('statefulset web', '/update-strategy:/d')).toEqual(done);
    expect(await read(scene)).toMatchObject({ strategy: rolling, word: undefined });
    await kubectl.close();
  });

  it('annotate takes it away and brings it back; other changes leave it alone', async () => {
    const { scene, kubectl } = await here();
    await kubectl('apply -f -', file(set()));
    await kubectl('scale statefulset web --replicas=1');
    await kubectl('set image statefulset web main=example.com/app:9');
    expect((await read(scene)).word).toBe('EnforcedRollingUpdate');
    await kubectl(`annotate statefulset web ${word}-`);
    expect((await read(scene)).word).toBeUndefined();
    await kubectl(`annotate statefulset web ${word}=EnforcedRollingUpdate`);
    expect(await read(scene)).toEqual(isIn);
    await kubectl.close();
  });
});
