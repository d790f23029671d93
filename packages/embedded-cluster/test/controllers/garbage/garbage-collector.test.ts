import fc from 'fast-check';
import type { OwnerReference } from 'kubernetes-types/meta/v1.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCrdController } from '../../../src/controllers/crd/crd-controller.ts';
import { startGarbageCollector } from '../../../src/controllers/garbage/garbage-collector.ts';
import type { KubeObject } from '../../../src/objects.ts';
import { crd, widget, widgetKey } from '../custom-kind.ts';
import { TestPlane } from '../test-plane.ts';

let plane: TestPlane;

function startOn(on: TestPlane): void {
  on.start((context, { types, registry }) => startGarbageCollector(context, { types, store: registry.store }));
}

async function fresh(): Promise<TestPlane> {
  const made = new TestPlane();
  await made.namespace('default');
  await made.namespace('other');
  return made;
}

beforeEach(async () => {
  plane = await fresh();
  startOn(plane);
});

afterEach(() => {
  plane.stop();
  expect(plane.errors).toEqual([]);
});

function ownedBy(owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', ...more };
}

const blocking = { blockOwnerDeletion: true };

function make(name: string, owners: OwnerReference[] = [], finalizers: string[] = []): Promise<KubeObject> {
  return plane.configMap('default', name, { ownerReferences: owners, finalizers });
}

function names(): string[] {
  return plane.plane.view.list('configmaps', 'default').map(({ metadata }) => metadata.name);
}

function remove(name: string, propagationPolicy: 'Background' | 'Foreground' | 'Orphan'): Promise<void> {
  return plane.client.delete('configmaps', 'default', name, { propagationPolicy });
}

describe('in the background', () => {
  it('goes what has lost its only owner, and what that owned', async () => {
    const owner = await make('owner');
    const child = await make('child', [ownedBy(owner)]);
    await make('grandchild', [ownedBy(child)]);
    await make('stranger');
    await remove('owner', 'Background');
    expect(names()).toEqual(['child', 'grandchild', 'stranger']);
    await plane.quiet();
    expect(names()).toEqual(['stranger']);
  });

  it('goes what names an owner that never was', async () => {
    await make('child', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid: 'no-uid' }]);
    await plane.quiet();
    expect(names()).toEqual([]);
  });

  it('goes what belonged to an earlier object of the same name', async () => {
    const owner = await make('owner');
    await make('child', [ownedBy(owner, { uid: 'an-earlier-one' })]);
    await plane.quiet();
    expect(names()).toEqual(['owner']);
  });

  it('stays what another owner holds, and forgets the one that is gone', async () => {
    const [first, second] = [await make('first'), await make('second')];
    await make('child', [ownedBy(first), ownedBy(second)]);
    await remove('first', 'Background');
    await plane.quiet();
    expect(plane.get('configmaps', 'default', 'child').metadata.ownerReferences).toEqual([ownedBy(second)]);
    await remove('second', 'Background');
    await plane.quiet();
    expect(names()).toEqual([]);
  });

  it('stays what names an owner of a kind that is not served', async () => {
    await make('child', [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'some-uid' }]);
    await plane.quiet();
    await plane.clock.advance(120_000);
    expect(names()).toEqual(['child']);
  });

  it('finds at its start what was lost before', async () => {
    const before = await fresh();
    await before.configMap('default', 'child', {
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'absent', uid: 'no-uid' }],
    });
    startOn(before);
    await before.quiet();
    expect(before.find('configmaps', 'default', 'child')).toBeUndefined();
    before.stop();
  });

  it('goes what belongs to a custom object, and the other way round', async () => {
    plane.start((context, { types }) =>
      startCrdController(context, { types, convertByWebhook: () => async (objects) => objects }),
    );
    await plane.create('apiextensions.k8s.io/customresourcedefinitions', crd());
    await plane.quiet();
    const custom = await plane.create(widgetKey, widget('default', 'w'));
    const map = await make('map', [ownedBy(custom)]);
    await plane.create(widgetKey, widget('default', 'inner', { ownerReferences: [ownedBy(map)] }));
    await plane.client.delete(widgetKey, 'default', 'w');
    await plane.quiet();
    expect(names()).toEqual([]);
    expect(plane.find(widgetKey, 'default', 'inner')).toBeUndefined();
  });
});

describe('an owner in another namespace', () => {
  function complaints(namespace: string): string[] {
    return plane.plane.view.list('events', namespace).map((event) => `${event['reason']}: ${event['message']}`);
  }

  it('does not count, and that is said', async () => {
    const owner = await plane.configMap('other', 'owner');
    await make('child', [ownedBy(owner)]);
    await plane.quiet();
    expect(names()).toEqual([]);
    const shown = `[v1/ConfigMap, namespace: default, name: owner, uid: ${owner.metadata.uid}]`;
    expect(complaints('default')).toEqual([
      `OwnerRefInvalidNamespace: ownerRef ${shown} does not exist in namespace "default"`,
    ]);
  });

  it('leaves alone what lives outside namespaces', async () => {
    const owner = await plane.configMap('other', 'owner');
    await plane.create('namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'odd', ownerReferences: [ownedBy(owner)] },
    });
    await plane.client.delete('configmaps', 'other', 'owner');
    await plane.quiet();
    expect(plane.get('namespaces', '', 'odd').metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('in the foreground', () => {
  it('goes the owner after those that block it', async () => {
    const owner = await make('owner');
    await make('held', [ownedBy(owner, blocking)], ['example.com/wait']);
    await make('free', [ownedBy(owner)]);
    await remove('owner', 'Foreground');
    expect(plane.get('configmaps', 'default', 'owner').metadata.finalizers).toEqual(['foregroundDeletion']);
    await plane.quiet();
    expect(names()).toEqual(['held', 'owner']);
    await plane.release('configmaps', 'default', 'held');
    await plane.quiet();
    expect(names()).toEqual([]);
  });

  it('does not wait for those that do not block', async () => {
    const owner = await make('owner');
    await make('held', [ownedBy(owner)], ['example.com/wait']);
    await remove('owner', 'Foreground');
    await plane.quiet();
    expect(names()).toEqual(['held']);
  });

  it('goes a tree from its leaves', async () => {
    const owner = await make('owner');
    const child = await make('child', [ownedBy(owner, blocking)]);
    await make('leaf', [ownedBy(child, blocking)], ['example.com/wait']);
    await remove('owner', 'Foreground');
    await plane.quiet();
    expect(names()).toEqual(['child', 'leaf', 'owner']);
    await plane.release('configmaps', 'default', 'leaf');
    await plane.quiet();
    expect(names()).toEqual([]);
  });

  it('lets live what another owner holds', async () => {
    const [first, second] = [await make('first'), await make('second')];
    await make('child', [ownedBy(first, blocking), ownedBy(second, blocking)]);
    await remove('first', 'Foreground');
    await plane.quiet();
    expect(names()).toEqual(['child', 'second']);
  });

  it('opens circles', async () => {
    const first = await make('first');
    const second = await make('second', [ownedBy(first, blocking)]);
    await plane.client.modify('configmaps', 'default', 'first', (draft) => {
      draft.metadata.ownerReferences = [ownedBy(second, blocking)];
      return draft;
    });
    await remove('first', 'Foreground');
    await plane.quiet();
    expect(names()).toEqual([]);
  });
});

describe('orphaning', () => {
  it('sets free those that were owned', async () => {
    const [owner, other] = [await make('owner'), await make('other-owner')];
    await make('child', [ownedBy(owner)]);
    await make('shared', [ownedBy(owner), ownedBy(other)]);
    await remove('owner', 'Orphan');
    await plane.quiet();
    expect(names()).toEqual(['child', 'other-owner', 'shared']);
    expect(plane.get('configmaps', 'default', 'child').metadata.ownerReferences).toBeUndefined();
    expect(plane.get('configmaps', 'default', 'shared').metadata.ownerReferences).toEqual([ownedBy(other)]);
  });
});

const policy = fc.constantFrom('Background' as const, 'Foreground' as const);

it('whatever is owned by whom, what is left at the end is held by something that is there', async () => {
  const edges = fc.array(fc.record({ from: fc.nat(7), to: fc.nat(7), block: fc.boolean() }), { maxLength: 14 });
  const removals = fc.array(fc.record({ index: fc.nat(7), policy }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(edges, removals, async (references, deletions) => {
      plane.stop();
      plane = await fresh();
      startOn(plane);
      const all: KubeObject[] = [];
      for (let index = 0; index < 8; index += 1) all.push(await make(`m${index}`));
      const ownersOf = (index: number): OwnerReference[] =>
        references
          .filter(({ from }) => from === index)
          .map(({ to, block }) => ownedBy(all[to] as KubeObject, { blockOwnerDeletion: block }));
      for (let index = 0; index < 8; index += 1) {
        await plane.client.modify('configmaps', 'default', `m${index}`, (draft) => {
          draft.metadata.ownerReferences = ownersOf(index);
          return draft;
        });
      }
      for (const deletion of deletions) await remove(`m${deletion.index}`, deletion.policy).catch(() => undefined);
      await plane.quiet();
      const left = new Set(names());
      for (let index = 0; index < 8; index += 1) {
        const owners = ownersOf(index).map(({ name }) => name);
        const deleted = deletions.some((one) => one.index === index);
        const held = owners.length === 0 || owners.some((name) => left.has(name));
        expect(left.has(`m${index}`), `m${index} owned by ${owners}`).toBe(!deleted && held);
      }
    }),
    { numRuns: 60 },
  );
});
