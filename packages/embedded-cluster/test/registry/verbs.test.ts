import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/objects.ts';
import { createObject } from '../../src/registry/create.ts';
import { deleteObject } from '../../src/registry/delete.ts';
import { patchObject } from '../../src/registry/update/patch.ts';
import { updateObject } from '../../src/registry/update/update.ts';
import { aContext, aPlane, aPod, object } from './a-plane.ts';

const refusal = (code: number, message?: string) =>
  expect.objectContaining({
    status: expect.objectContaining({
      code,
      ...(message === undefined ? {} : { message: expect.stringContaining(message) }),
    }),
  });

describe('create', () => {
  it('gives an object its identity, whatever the client says it is', async () => {
    const { client } = await aPlane();
    const made: KubeObject = await client.create<KubeObject>('configmaps', {
      ...object('v1', 'ConfigMap', 'x'),
      metadata: {
        name: 'x',
        namespace: 'default',
        uid: 'mine',
        generation: 7,
        creationTimestamp: '2000-01-01T00:00:00Z',
      },
    });
    expect(made.metadata.uid).not.toBe('mine');
    expect(made.metadata.creationTimestamp).toBe('2026-01-01T00:00:00Z');
    expect(made.metadata.generation).toBeUndefined();
    expect(Number(made.metadata.resourceVersion)).toBeGreaterThan(0);
  });

  it('drops the status that a client sends along', async () => {
    const { client } = await aPlane();
    const made = await client.create('pods', { ...aPod('p'), status: { phase: 'Running' } });
    expect(made['status']).toMatchObject({ phase: 'Pending' });
  });

  it('makes a name up, and another one when that is taken', async () => {
    const { client } = await aPlane();
    const make = () =>
      client.create('configmaps', {
        ...object('v1', 'ConfigMap', ''),
        metadata: { name: '', generateName: 'x-', namespace: 'default' },
      });
    const names = (await Promise.all([make(), make(), make()])).map(({ metadata }) => metadata.name);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^x-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('leaves no trace in a dry run, and still says what it would refuse', async () => {
    const { plane, target } = await aPlane();
    const where = target('pods', 'p');
    const made = await createObject(plane.registry, where, aPod('p'), aContext({ dryRun: true }));
    expect(made.metadata.uid).toBeDefined();
    expect(plane.view.get('pods', 'default', 'p')).toBeUndefined();
    await expect(
      createObject(plane.registry, where, { ...aPod('p'), spec: {} }, aContext({ dryRun: true })),
    ).rejects.toEqual(refusal(422, 'spec.containers: Required value'));
  });

  it('refuses what is there already, what is in another namespace, and what is in none', async () => {
    const { client } = await aPlane();
    await client.create('pods', aPod('p'));
    await expect(client.create('pods', aPod('p'))).rejects.toEqual(refusal(409, 'pods "p" already exists'));
    await expect(
      client.create('pods', { ...aPod('q'), metadata: { name: 'q', namespace: 'nowhere' } }),
    ).rejects.toEqual(refusal(404, 'namespaces "nowhere" not found'));
  });
});

describe('update', () => {
  it('refuses a version that is not the newest, and takes one that says none', async () => {
    const { client } = await aPlane();
    const first = await client.create('configmaps', object('v1', 'ConfigMap', 'x', { data: { a: '1' } }));
    await client.update('configmaps', { ...first, data: { a: '2' } });
    await expect(client.update('configmaps', { ...first, data: { a: '3' } })).rejects.toEqual(
      refusal(409, 'has been modified'),
    );
    const { resourceVersion: _, ...metadata } = first.metadata;
    expect(await client.update('configmaps', { ...first, metadata, data: { a: '4' } })).toMatchObject({
      data: { a: '4' },
    });
  });

  it('writes nothing when nothing changes', async () => {
    const { client, plane } = await aPlane();
    const first = await client.create('configmaps', object('v1', 'ConfigMap', 'x', { data: { a: '1' } }));
    const before = plane.registry.store.revision;
    await client.update('configmaps', first);
    expect(plane.registry.store.revision).toBe(before);
  });

  it('counts changes of the specification, not those of labels or status', async () => {
    const { client } = await aPlane();
    const budget = await client.create(
      'policy/poddisruptionbudgets',
      object('policy/v1', 'PodDisruptionBudget', 'b', { spec: { minAvailable: 1, selector: {} } }),
    );
    expect(budget.metadata.generation).toBe(1);
    const change = (edit: (draft: KubeObject) => void, options = {}) =>
      client.modify(
        'policy/poddisruptionbudgets',
        'default',
        'b',
        (draft: KubeObject) => {
          edit(draft);
          return draft;
        },
        options,
      );
    const labelled = await change((draft) => Object.assign(draft.metadata, { labels: { a: 'b' } }));
    expect(labelled?.metadata.generation).toBe(1);
    const reported = await change(
      (draft) => Object.assign(draft, { status: { ...(draft['status'] as object), expectedPods: 3 } }),
      { subresource: 'status' },
    );
    expect(reported?.metadata.generation).toBe(1);
    const respecified = await change((draft) =>
      Object.assign(draft, { spec: { ...(draft['spec'] as object), minAvailable: 2 } }),
    );
    expect(respecified?.metadata.generation).toBe(2);
  });

  it('keeps specification and status apart', async () => {
    const { client } = await aPlane();
    await client.create('pods', aPod('p'));
    const edit = (draft: KubeObject) => {
      draft['status'] = { phase: 'Running' };
      draft['spec'] = { ...(draft['spec'] as object), activeDeadlineSeconds: 5 };
      return draft;
    };
    const byStatus = await client.modify('pods', 'default', 'p', edit, { subresource: 'status' });
    expect(byStatus).toMatchObject({ status: { phase: 'Running' } });
    expect((byStatus?.['spec'] as object) ?? {}).not.toHaveProperty('activeDeadlineSeconds');
    const bySpec = await client.modify('pods', 'default', 'p', (draft: KubeObject) => ({ ...edit(draft), status: {} }));
    expect(bySpec).toMatchObject({ status: { phase: 'Running' }, spec: { activeDeadlineSeconds: 5 } });
  });

  it('lets reports on built-in kinds carry metadata along, but not the owners of pods', async () => {
    const { client } = await aPlane();
    await client.create('pods', aPod('p'));
    const edit = (draft: KubeObject) => {
      const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: '1' }];
      draft.metadata = { ...draft.metadata, annotations: { a: 'b' }, ownerReferences };
      return draft;
    };
    const pod = await client.modify('pods', 'default', 'p', edit, { subresource: 'status' });
    expect(pod?.metadata).toMatchObject({ annotations: { a: 'b' } });
    expect(pod?.metadata).not.toHaveProperty('ownerReferences');
    const spec = { minAvailable: 1, selector: {} };
    await client.create('policy/poddisruptionbudgets', object('policy/v1', 'PodDisruptionBudget', 'b', { spec }));
    const budget = await client.modify('policy/poddisruptionbudgets', 'default', 'b', edit, { subresource: 'status' });
    expect(budget?.metadata).toMatchObject({ annotations: { a: 'b' }, ownerReferences: [{ name: 'n' }] });
  });

  it('checks the metadata that a status carries', async () => {
    const { client } = await aPlane();
    await client.create('pods', aPod('p'));
    const edit = (draft: KubeObject) => {
      draft.metadata = { ...draft.metadata, labels: { 'not a key': 'x' } };
      return draft;
    };
    await expect(client.modify('pods', 'default', 'p', edit, { subresource: 'status' })).rejects.toEqual(
      refusal(422, 'metadata.labels: Invalid value: "not a key"'),
    );
  });

  it('tries again when it lost a race and the client named no version', async () => {
    const { client, plane, target } = await aPlane();
    await client.create('configmaps', object('v1', 'ConfigMap', 'x', { data: {} }));
    const add = (key: string) =>
      updateObject(plane.registry, {
        target: target('configmaps', 'x'),
        subresource: '',
        context: aContext(),
        retries: true,
        change: (old) => {
          const { resourceVersion: _, ...metadata } = old.metadata;
          return { ...old, metadata, data: { ...(old['data'] as object), [key]: key } };
        },
      });
    await Promise.all(['a', 'b', 'c', 'd'].map(add));
    expect(plane.view.get('configmaps', 'default', 'x')?.['data']).toEqual({ a: 'a', b: 'b', c: 'c', d: 'd' });
  });
});

describe('patch', () => {
  const patch = (kind: 'json' | 'merge' | 'strategic' | 'apply', body: unknown) => ({
    kind,
    patch: body,
    text: JSON.stringify(body),
    subresource: '',
    force: false,
  });

  it('merges lists of built-in kinds by their keys', async () => {
    const { plane, client, target } = await aPlane();
    await client.create('pods', aPod('p'));
    const outcome = await patchObject(plane.registry, {
      ...patch('strategic', { spec: { containers: [{ name: 'main', image: 'app:2' }] } }),
      target: target('pods', 'p'),
      context: aContext(),
    });
    expect(outcome.object).toMatchObject({
      spec: { containers: [{ name: 'main', image: 'app:2', imagePullPolicy: 'IfNotPresent' }] },
    });
  });

  it('refuses unknown fields where the client wants to know, and warns where it does not', async () => {
    const { plane, client, target } = await aPlane();
    await client.create('pods', aPod('p'));
    const request = { ...patch('merge', { spec: { colour: 'red' } }), target: target('pods', 'p') };
    await expect(patchObject(plane.registry, { ...request, context: aContext() })).rejects.toEqual(
      refusal(422, 'unknown field "spec.colour"'),
    );
    const context = aContext({ fieldValidation: 'Warn' });
    await patchObject(plane.registry, { ...request, context });
    expect(context.warnings).toEqual(['unknown field "spec.colour"']);
  });

  it('creates what is applied and is not there, and owns it', async () => {
    const { plane, target } = await aPlane();
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: '1' } };
    const request = {
      ...patch('apply', applied),
      target: target('configmaps', 'x'),
      context: aContext({ fieldManager: 'one' }),
    };
    const first = await patchObject(plane.registry, request);
    expect(first.kind).toBe('created');
    expect(first.object.metadata.managedFields).toMatchObject([
      { manager: 'one', operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {} } } },
    ]);
    const other = patchObject(plane.registry, {
      ...request,
      ...patch('apply', { ...applied, data: { a: '2' } }),
      context: aContext({ fieldManager: 'two' }),
    });
    await expect(other).rejects.toEqual(refusal(409, 'conflict with "one"'));
  });

  it('refuses to apply what says a thing twice, or warns of it', async () => {
    const { plane, target } = await aPlane();
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: '2' } };
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a: "1"\n  a: "2"\n';
    const request = { ...patch('apply', applied), text, target: target('configmaps', 'x') };
    const strict = aContext({ fieldValidation: 'Strict' });
    await expect(patchObject(plane.registry, { ...request, context: strict })).rejects.toEqual(
      refusal(
        400,
        'error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 6: key "a" already set in map',
      ),
    );
    const context = aContext({ fieldValidation: 'Warn' });
    expect((await patchObject(plane.registry, { ...request, context })).kind).toBe('created');
    expect(context.warnings).toEqual(['line 6: key "a" already set in map']);
  });

  it('applies the same again without a write', async () => {
    const { plane, target, clock } = await aPlane();
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: '1' } };
    const request = { ...patch('apply', applied), target: target('configmaps', 'x'), context: aContext() };
    await patchObject(plane.registry, request);
    const before = plane.registry.store.revision;
    await clock.advance(60_000);
    expect((await patchObject(plane.registry, request)).kind).toBe('unchanged');
    expect(plane.registry.store.revision).toBe(before);
  });
});

describe('delete', () => {
  it('waits for the kubelet where a pod runs, and not where it never ran', async () => {
    const { plane, client, target } = await aPlane();
    await client.create('pods', aPod('running'));
    await client.create('pods', aPod('pending'));
    await client.bind('default', 'running', '', 'node-1');
    const remove = (name: string) =>
      deleteObject(plane.registry, { target: target('pods', name), options: {}, context: aContext() });
    expect((await remove('running')).kind).toBe('terminating');
    expect((await remove('pending')).kind).toBe('removed');
    expect(plane.view.get('pods', 'default', 'running')?.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
  });

  it('keeps to the object that the client means', async () => {
    const { plane, client, target } = await aPlane();
    const pod = await client.create('pods', aPod('p'));
    const remove = (options: object) =>
      deleteObject(plane.registry, { target: target('pods', 'p'), options, context: aContext() });
    await expect(remove({ uid: 'other' })).rejects.toEqual(refusal(409, 'the UID in the precondition (other)'));
    await expect(remove({ resourceVersion: '1' })).rejects.toEqual(
      refusal(409, 'the ResourceVersion in the precondition (1)'),
    );
    expect((await remove({ uid: pod.metadata.uid })).kind).toBe('removed');
  });

  it('lets the last finalizer take the object with it', async () => {
    const { plane, client, target } = await aPlane();
    await client.create('configmaps', {
      ...object('v1', 'ConfigMap', 'x'),
      metadata: { name: 'x', namespace: 'default', finalizers: ['a.io/b'] },
    });
    await deleteObject(plane.registry, { target: target('configmaps', 'x'), options: {}, context: aContext() });
    expect(plane.view.get('configmaps', 'default', 'x')).toBeDefined();
    await client.modify('configmaps', 'default', 'x', (draft: KubeObject) => ({
      ...draft,
      metadata: { ...draft.metadata, finalizers: [] },
    }));
    expect(plane.view.get('configmaps', 'default', 'x')).toBeUndefined();
  });

  it('does nothing in a dry run', async () => {
    const { plane, client, target } = await aPlane();
    await client.create('pods', aPod('p'));
    await deleteObject(plane.registry, {
      target: target('pods', 'p'),
      options: {},
      context: aContext({ dryRun: true }),
    });
    expect(plane.view.get('pods', 'default', 'p')).toBeDefined();
  });
});
