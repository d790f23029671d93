import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCrdController } from '../../../src/controllers/crd/crd-controller.ts';
import { type Crd, crdHasCondition } from '../../../src/crd/crd.ts';
import { crd, widget, widgetKey } from '../custom-kind.ts';
import { TestPlane } from '../test-plane.ts';

const crds = 'apiextensions.k8s.io/customresourcedefinitions';
const name = 'widgets.example.com';

let plane: TestPlane;

function start(on: TestPlane): void {
  on.start((context, { types }) =>
    startCrdController(context, { types, convertByWebhook: () => async (objects) => objects }),
  );
}

beforeEach(async () => {
  plane = new TestPlane();
  start(plane);
  await plane.namespace('default');
});

afterEach(() => {
  plane.stop();
  expect(plane.errors).toEqual([]);
});

function condition(type: string, of = name) {
  const found = plane.get<Crd>(crds, '', of).status?.conditions?.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}: ${found.message}`;
}

describe('a new CRD', () => {
  it('is given its names and becomes established', async () => {
    await plane.create(crds, crd());
    await plane.quiet();
    expect(condition('NamesAccepted')).toBe('True NoConflicts: no conflicts found');
    expect(condition('Established')).toBe('True InitialNamesAccepted: the initial names have been accepted');
    const { status } = plane.get<Crd>(crds, '', name);
    expect(status?.acceptedNames?.kind).toBe('Widget');
    expect(status?.storedVersions).toEqual(['v1']);
  });

  it('is served from the write on that says so', async () => {
    let servedWhenSeen: boolean | undefined;
    plane.plane.view.watch(crds, ({ object }) => {
      if (crdHasCondition(object as Crd, 'Established')) {
        servedWhenSeen ??= plane.plane.types.find('example.com', 'v1', 'widgets') !== undefined;
      }
    });
    await plane.create(crds, crd());
    expect(plane.plane.types.find('example.com', 'v1', 'widgets')).toBeUndefined();
    await plane.quiet();
    expect(servedWhenSeen).toBe(true);
    await plane.create(widgetKey, widget('default', 'a'));
  });

  it('is not served while its names belong to another', async () => {
    await plane.create(crds, crd());
    await plane.create(
      crds,
      crd({ plural: 'gadgets', singular: 'gadget', listKind: 'GadgetList', shortNames: ['gd'] }),
    );
    await plane.quiet();
    expect(condition('NamesAccepted', 'gadgets.example.com')).toBe('False KindConflict: "Widget" is already in use');
    expect(condition('Established', 'gadgets.example.com')).toBe('False NotAccepted: not all names are accepted');
    expect(plane.plane.types.find('example.com', 'v1', 'gadgets')).toBeUndefined();
  });

  it('gets its names when the other goes', async () => {
    await plane.create(crds, crd());
    await plane.create(
      crds,
      crd({ plural: 'gadgets', singular: 'gadget', listKind: 'GadgetList', shortNames: ['gd'] }),
    );
    await plane.quiet();
    await plane.client.delete(crds, '', name);
    await plane.quiet();
    expect(plane.find(crds, '', name)).toBeUndefined();
    expect(plane.plane.types.find('example.com', 'v1', 'gadgets')?.kind).toBe('Widget');
  });
});

describe('a CRD that changes', () => {
  beforeEach(async () => {
    await plane.create(crds, crd());
    await plane.quiet();
  });

  it('is served as it is from its very write', async () => {
    const current = plane.get<Crd>(crds, '', name);
    const [version] = current.spec.versions;
    if (!version) throw new Error('no version');
    const versions = [version, { ...version, name: 'v2', storage: false }];
    await plane.client.update(crds, { ...current, spec: { ...current.spec, versions } });
    expect(plane.plane.types.find('example.com', 'v2', 'widgets')).toBeDefined();
  });

  it('leaves discovery alone when only its status changes', async () => {
    const before = plane.plane.types.generation;
    const current = plane.get<Crd>(crds, '', name);
    const status = { ...current.status, storedVersions: ['v1', 'v0'] };
    await plane.client.update(crds, { ...current, status }, { subresource: 'status' });
    expect(plane.plane.types.generation).toBe(before);
  });
});

describe('a CRD that becomes stricter', () => {
  it('lets what was there before stay, and nothing else come', async () => {
    await plane.create(crds, crd());
    await plane.quiet();
    await plane.create(widgetKey, { ...widget('default', 'a'), size: 9 });
    const current = plane.get<Crd>(crds, '', name);
    const properties = { size: { type: 'integer', maximum: 5 } };
    const versions = current.spec.versions.map((version) => ({
      ...version,
      schema: { openAPIV3Schema: { type: 'object', properties } },
    }));
    await plane.client.update(crds, { ...current, spec: { ...current.spec, versions } });
    await plane.quiet();
    const labelled = { ...plane.get(widgetKey, 'default', 'a') };
    labelled.metadata = { ...labelled.metadata, labels: { a: 'b' } };
    const kept = await plane.client.update(widgetKey, labelled);
    expect(kept).toMatchObject({ size: 9, metadata: { labels: { a: 'b' } } });
    await expect(plane.client.update(widgetKey, { ...kept, size: 8 })).rejects.toMatchObject({ status: { code: 422 } });
    await expect(plane.create(widgetKey, { ...widget('default', 'b'), size: 9 })).rejects.toMatchObject({
      status: { code: 422 },
    });
  });
});

describe('a CRD that is deleted', () => {
  beforeEach(async () => {
    await plane.create(crds, crd());
    await plane.quiet();
  });

  it('takes its objects with it', async () => {
    await plane.create(widgetKey, widget('default', 'a'));
    await plane.client.delete(crds, '', name);
    expect(plane.get(crds, '', name).metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    expect(condition('Terminating')).toBe(
      'True InstanceDeletionPending: CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    );
    await plane.quiet();
    expect(plane.find(crds, '', name)).toBeUndefined();
    expect(plane.find(widgetKey, 'default', 'a')).toBeUndefined();
    expect(plane.plane.types.find('example.com', 'v1', 'widgets')).toBeUndefined();
  });

  it('waits for an object that a finalizer holds, and takes no new ones', async () => {
    await plane.create(widgetKey, widget('default', 'held', { finalizers: ['example.com/wait'] }));
    await plane.client.delete(crds, '', name);
    await plane.quiet();
    expect(condition('Terminating')).toBe('True InstanceDeletionInProgress: CustomResource deletion is in progress');
    await expect(plane.create(widgetKey, widget('default', 'late'))).rejects.toMatchObject({
      status: { code: 405, message: 'create not allowed while custom resource definition is terminating' },
    });
    await plane.clock.advance(60_000);
    expect(condition('Terminating')).toBe(
      'True InstanceDeletionCheck: could not confirm zero CustomResources remaining: timed out waiting for the condition',
    );
    await plane.release(widgetKey, 'default', 'held');
    await plane.clock.advance(1_000);
    expect(plane.find(crds, '', name)).toBeUndefined();
  });

  it('goes at once when it never was established', async () => {
    await plane.create(crds, crd({ plural: 'gadgets', singular: 'gadget', listKind: 'GadgetList', shortNames: [] }));
    await plane.quiet();
    await plane.client.delete(crds, '', 'gadgets.example.com');
    await plane.quiet();
    expect(plane.find(crds, '', 'gadgets.example.com')).toBeUndefined();
  });
});

it('a CRD that is there before the start is served when the start returns', async () => {
  await plane.create(crds, crd());
  await plane.quiet();
  const again = new TestPlane(plane.store);
  expect(again.plane.types.find('example.com', 'v1', 'widgets')).toBeUndefined();
  start(again);
  expect(again.plane.types.find('example.com', 'v1', 'widgets')).toBeDefined();
  again.stop();
});
