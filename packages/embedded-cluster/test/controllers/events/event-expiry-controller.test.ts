import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEventExpiryController } from '../../../src/controllers/events/event-expiry-controller.ts';
import type { KubeObject } from '../../../src/objects.ts';
import { TestPlane } from '../test-plane.ts';

const minute = 60_000;

let plane: TestPlane;

beforeEach(async () => {
  plane = new TestPlane();
  await plane.namespace('default');
  plane.start((context) => startEventExpiryController(context, { store: plane.store, maxEvents: 3 }));
});

afterEach(() => {
  plane.stop();
  expect(plane.errors).toEqual([]);
});

function event(name: string): Promise<KubeObject> {
  return plane.create('events', {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'default' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'a' },
    reason: 'Tested',
    type: 'Normal',
  });
}

const names = () => plane.plane.view.list('events').map(({ metadata }) => metadata.name);

describe('events', () => {
  it('go after an hour', async () => {
    await event('early');
    await plane.clock.advance(30 * minute);
    await event('late');
    await plane.clock.advance(29 * minute);
    expect(names()).toEqual(['early', 'late']);
    await plane.clock.advance(2 * minute);
    expect(names()).toEqual(['late']);
    await plane.clock.advance(30 * minute);
    expect(names()).toEqual([]);
  });

  it('stay for an hour after they were counted up', async () => {
    await event('again');
    await plane.clock.advance(40 * minute);
    await plane.client.modify('events', 'default', 'again', (draft) => ({ ...draft, count: 2 }));
    await plane.clock.advance(40 * minute);
    expect(names()).toEqual(['again']);
    await plane.clock.advance(21 * minute);
    expect(names()).toEqual([]);
  });

  it('make room for newer ones when there are too many', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await event(name);
    await plane.clock.advance(0);
    expect(names()).toEqual(['c', 'd', 'e']);
  });

  it('that a client deleted do not count', async () => {
    for (const name of ['a', 'b', 'c']) await event(name);
    await plane.client.delete('events', 'default', 'b');
    await event('d');
    await plane.clock.advance(0);
    expect(names()).toEqual(['a', 'c', 'd']);
  });
});
