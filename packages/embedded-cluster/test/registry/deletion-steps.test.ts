import { describe, expect, it } from 'vitest';
import type { AdmissionRequest } from '../../src/admission/admission.ts';
import { badRequest } from '../../src/errors.ts';
import type { KubeObject } from '../../src/objects.ts';
import { deleteObject } from '../../src/registry/delete.ts';
import type { DeletionOptions } from '../../src/registry/deletion.ts';
import type { StoreEvent } from '../../src/store/store.ts';
import { type APlane, aContext, aPlane, aPod, object } from './a-plane.ts';

interface Scene {
  readonly a: APlane;
  /** What webhooks were asked about: the grace that was left. */
  readonly asked: (number | undefined)[];
  readonly events: StoreEvent[];
  remove(options?: DeletionOptions, dryRun?: boolean): ReturnType<typeof deleteObject>;
}

/** A pod whose deletion is watched, from the store and from admission. */
async function scene(validate: (request: AdmissionRequest, calls: number) => void = () => undefined): Promise<Scene> {
  const a = await aPlane();
  await a.client.create('pods', aPod('p'));
  const asked: (number | undefined)[] = [];
  const events: StoreEvent[] = [];
  a.plane.registry.store.subscribe((event) => void events.push(event));
  const registry = {
    ...a.plane.registry,
    admission: {
      mutate: async () => undefined,
      validate: async (request: AdmissionRequest) => {
        asked.push(request.oldObject?.metadata.deletionGracePeriodSeconds);
        validate(request, asked.length);
      },
    },
  };
  const target = a.target('pods', 'p');
  const remove: Scene['remove'] = (options = {}, dryRun = false) =>
    deleteObject(registry, { target, options, context: aContext({ dryRun }) });
  return { a, asked, events, remove };
}

const shown = ({ type, stored }: StoreEvent) => [type, stored.object.metadata.deletionGracePeriodSeconds];
const bind = ({ a }: Scene) => a.client.bind('default', 'p', '', 'node-1');

describe('a pod that is deleted without grace', () => {
  it('is seen terminating before it is gone, and webhooks are asked both times', async () => {
    const it = await scene();
    const outcome = await it.remove();
    expect(it.events.map(shown)).toEqual([
      ['MODIFIED', 0],
      ['DELETED', 0],
    ]);
    expect(it.asked).toEqual([undefined, 0]);
    expect(outcome).toMatchObject({ kind: 'removed', object: { metadata: { deletionGracePeriodSeconds: 0 } } });
  });

  it('is so as well when its grace is cut short', async () => {
    const it = await scene();
    await bind(it);
    await it.remove();
    it.events.length = 0;
    await it.remove({ gracePeriodSeconds: 0 });
    expect(it.events.map(shown)).toEqual([
      ['MODIFIED', 0],
      ['DELETED', 0],
    ]);
    expect(it.asked).toEqual([undefined, 30, 0]);
  });

  it('goes with the version that the client named', async () => {
    const it = await scene();
    const resourceVersion = it.a.plane.view.get('pods', 'default', 'p')?.metadata.resourceVersion ?? '';
    expect((await it.remove({ resourceVersion })).kind).toBe('removed');
  });

  it('stays, terminating, if a webhook says no the second time; its next update is its end', async () => {
    const it = await scene((_request, calls) => {
      if (calls === 2) throw badRequest('no');
    });
    await expect(it.remove()).rejects.toThrow('no');
    const pod = () => it.a.plane.view.get('pods', 'default', 'p');
    expect(pod()?.metadata.deletionGracePeriodSeconds).toBe(0);
    await it.a.client.modify('pods', 'default', 'p', (draft: KubeObject) => ({
      ...draft,
      metadata: { ...draft.metadata, labels: { a: 'b' } },
    }));
    expect(pod()).toBeUndefined();
  });

  it('is gone, whichever client was faster', async () => {
    const it: Scene = await scene((_request, calls) => {
      if (calls === 2) {
        const { store } = it.a.plane.registry;
        const current = store.get('pods', 'default/p');
        if (current) store.remove('pods', current.key, current.revision);
      }
    });
    expect((await it.remove()).kind).toBe('removed');
  });

  it('leaves no trace in a dry run, which shows it terminating', async () => {
    const it = await scene();
    const outcome = await it.remove({}, true);
    expect(outcome).toMatchObject({ kind: 'removed', object: { metadata: { deletionGracePeriodSeconds: 0 } } });
    expect([it.events, it.asked]).toEqual([[], [undefined]]);
  });
});

describe('a pod whose grace runs', () => {
  it('is deleted again without admission, unless its grace gets shorter', async () => {
    const it = await scene();
    await bind(it);
    await it.remove();
    await it.remove();
    await it.remove({ gracePeriodSeconds: 60 });
    expect(it.asked).toHaveLength(1);
    await it.remove({ gracePeriodSeconds: 5 });
    expect(it.asked).toHaveLength(2);
  });
});

it('an object that its finalizers hold is not written again by another DELETE', async () => {
  const a = await aPlane();
  const made = object('v1', 'ConfigMap', 'c');
  await a.client.create('configmaps', { ...made, metadata: { ...made.metadata, finalizers: ['a/b'] } });
  await a.client.delete('configmaps', 'default', 'c');
  const { revision } = a.plane.registry.store;
  await a.client.delete('configmaps', 'default', 'c');
  expect(a.plane.registry.store.revision).toBe(revision);
});
