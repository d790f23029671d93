import { describe, expect, it } from 'vitest';
import type { AdmissionRequest } from '../../src/admission/admission.ts';
import type { KubeObject } from '../../src/objects.ts';
import { createObject } from '../../src/registry/create.ts';
import { patchObject } from '../../src/registry/update/patch.ts';
import { updateObject } from '../../src/registry/update/update.ts';
import { type APlane, aContext, aPlane, aPod, object } from './a-plane.ts';

function named(metadata: object): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '', namespace: 'default', ...metadata } };
}

function withAdmission({ plane }: APlane, see: (phase: 'mutate' | 'validate', request: AdmissionRequest) => unknown) {
  const { admission } = plane.registry;
  return {
    ...plane.registry,
    admission: {
      mutate: async (request: AdmissionRequest) => {
        await see('mutate', request);
        return admission.mutate(request);
      },
      validate: async (request: AdmissionRequest) => {
        await see('validate', request);
        await admission.validate(request);
      },
    },
  };
}

describe('a new object', () => {
  it('has its identity and its generated name for those who validate it, not for those who mutate it', async () => {
    const a = await aPlane();
    const seen: unknown[] = [];
    const registry = withAdmission(a, (phase, { object }) => {
      const { uid, creationTimestamp, name } = object?.metadata ?? {};
      seen.push([phase, uid !== undefined, creationTimestamp !== undefined, Boolean(name)]);
    });
    await createObject(registry, a.target('configmaps', ''), named({ generateName: 'x-' }), aContext());
    expect(seen).toEqual([
      ['mutate', false, false, false],
      ['validate', true, true, true],
    ]);
  });

  const taken: [what: string, dryRun: boolean][] = [
    ['of a dry run', true],
    ['that is meant', false],
  ];
  it.each(taken)('%s is told that the one before is still going', async (_what, dryRun) => {
    const a = await aPlane();
    await a.client.create('configmaps', named({ name: 'c', finalizers: ['a/b'] }));
    await a.client.delete('configmaps', 'default', 'c');
    await expect(
      createObject(a.plane.registry, a.target('configmaps', ''), named({ name: 'c' }), aContext({ dryRun })),
    ).rejects.toThrow('object is being deleted: configmaps "c" already exists');
  });

  it('with a prefix for its name is told that no name was found', async () => {
    const a = await aPlane();
    await a.client.create('configmaps', named({ name: 'x-1' }));
    await expect(a.client.create('configmaps', named({ name: 'x-1', generateName: 'x-' }))).rejects.toMatchObject({
      status: {
        code: 409,
        reason: 'AlreadyExists',
        message: 'configmaps "x-1" already exists, the server was not able to generate a unique name for the object',
        details: { name: 'x-1', kind: 'configmaps', retryAfterSeconds: 1 },
      },
    });
  });

  it('that admission gives an owner twice has it once, and its client is told', async () => {
    const a = await aPlane();
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: '1' };
    const { admission } = a.plane.registry;
    const twice = (one: KubeObject): KubeObject => ({
      ...one,
      metadata: { ...one.metadata, ownerReferences: [owner, owner] },
    });
    const registry = {
      ...a.plane.registry,
      admission: {
        mutate: async ({ object }: AdmissionRequest) => object && twice(object),
        validate: (request: AdmissionRequest) => admission.validate(request),
      },
    };
    const context = aContext();
    const target = a.target('configmaps', 'c');
    const made = await createObject(registry, target, named({ name: 'c' }), context);
    const changed = { ...made, data: { a: 'b' } };
    const request = { target, subresource: '', context, retries: false, change: () => changed };
    const { object: updated } = await updateObject(registry, request);
    for (const { metadata } of [made, updated]) expect(metadata.ownerReferences).toEqual([owner]);
    const warning = expect.stringContaining('duplicate entries after mutating admission happens; ');
    expect(context.warnings).toEqual([warning, warning]);
  });

  it('that lives outside namespaces is in none, whatever it says', async () => {
    const a = await aPlane();
    const made = await a.client.create<KubeObject>('namespaces', object('v1', 'Namespace', 'n'));
    expect(made.metadata.namespace).toBeUndefined();
  });

  it.each([2, 5])('%d at once with one name: one of them is made', async (count) => {
    const a = await aPlane();
    const all = Array.from({ length: count }, () => a.client.create('pods', aPod('p')));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('an apply', () => {
  const apply = (a: APlane, registry: APlane['plane']['registry'], key: string) => {
    const patch = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { [key]: 'v' } };
    return patchObject(registry, {
      target: a.target('configmaps', 'c'),
      subresource: '',
      kind: 'apply',
      patch,
      text: JSON.stringify(patch),
      force: false,
      context: aContext({ fieldManager: key }),
    });
  };

  it('that is overtaken by the creation of its object applies to that', async () => {
    const a = await aPlane();
    const outcomes = await Promise.all(['one', 'two'].map((key) => apply(a, a.plane.registry, key)));
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['created', 'updated']);
    expect(a.plane.view.get('configmaps', 'default', 'c')?.['data']).toEqual({ one: 'v', two: 'v' });
  });
});
