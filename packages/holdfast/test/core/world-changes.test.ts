import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort, pubNumbers } from '../../../../test/support/a-world.ts';
import { aPod, aPub, aReservation, ns } from '../../../../test/support/builders.ts';
import { supposing, type Undo, undoAll, type World } from '../../src/core/world/world.ts';

const source = join(import.meta.dirname, '../../src');

/** By these the records of the world are written. */
const writers = ['WritablePod', 'WritableOwner', 'NamespaceRecords', 'writable', 'readPod'];
/** Their functions change a namespace without `World`. */
const changes = /world\/(pods|budgets|group-descriptions|owners\/owners)\.ts'/;

const outside = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.startsWith(join('core', 'world')),
);

describe('records of the world', () => {
  it('are written by files of its room alone', () => {
    expect(outside.length).toBeGreaterThan(300);
    const found = outside.flatMap((file) => {
      const imports = readFileSync(join(source, file), 'utf8').match(/^import[^;]*;/gm) ?? [];
      return imports
        .filter((one) => one.includes('world/'))
        .filter((one) => changes.test(one) || writers.some((name) => new RegExp(`\\b${name}\\b`).test(one)))
        .map((one) => `${file}: ${one}`);
    });
    expect(found).toEqual([]);
  });
});

describe('a supposition', () => {
  const web = (): World =>
    aWorld({
      pods: [0, 1, 2].map((index) => aPod(`web-${index}`).labels({ app: 'web' })),
      pubs: [aPub('web', { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } })],
    });
  const facts = (world: World) => ({
    numbers: pubNumbers(world, 'web'),
    answers: [0, 1, 2].map((index) => inShort(ask(world, 'EVICT', `web-${index}`))),
    pods: [0, 1, 2].map((index) => {
      const pod = world.pod(ns, `web-${index}`);
      return { bits: pod?.bits, reserved: pod?.reserved };
    }),
    reservations: [...(world.namespace(ns)?.reservations.values() ?? [])],
  });
  const podOf = (world: World, name: string) => {
    const pod = world.pod(ns, name);
    if (pod === undefined) throw new Error(`there is no ${name}`);
    return pod;
  };

  const suppositions: readonly [string, (world: World) => Undo][] = [
    ['that a pod is reserved', (world) => world.suppose.reserved(ns, aReservation('web-0'))],
    ['that a pod is terminating', (world) => world.suppose.terminating(podOf(world, 'web-0'))],
  ];

  it.each(suppositions)('%s counts while it is made, and leaves no trace', (_title, suppose) => {
    const world = web();
    const before = facts(world);
    const refused = supposing(suppose(world), () => inShort(ask(world, 'EVICT', 'web-1')));
    expect(refused).toBe('deny BudgetExhausted');
    expect(facts(world)).toEqual(before);
  });

  it('[L5] that a reserved pod is not reserved leaves the reservation', () => {
    const world = web();
    undoAll([world.suppose.unreserved(podOf(world, 'web-0'))]);
    world.suppose.reserved(ns, aReservation('web-0'));
    const before = facts(world);
    const available = supposing(world.suppose.unreserved(podOf(world, 'web-0')), () => pubNumbers(world, 'web'));
    expect(available).not.toEqual(before.numbers);
    expect(facts(world)).toEqual(before);
  });

  it('is taken back when the question fails', () => {
    const world = web();
    const before = facts(world);
    const fail = () => {
      throw new Error('no answer');
    };
    expect(() => supposing(world.suppose.terminating(podOf(world, 'web-0')), fail)).toThrow('no answer');
    expect(facts(world)).toEqual(before);
  });

  it('on top of others is taken back first', () => {
    const world = web();
    const before = facts(world);
    const undos = [
      world.suppose.reserved(ns, aReservation('web-0')),
      world.suppose.reserved(ns, { ...aReservation('web-0'), conditional: true }),
      world.suppose.terminating(podOf(world, 'web-0')),
      world.suppose.unreserved(podOf(world, 'web-0')),
      world.suppose.terminating(podOf(world, 'web-0')),
    ];
    expect(facts(world)).not.toEqual(before);
    undoAll(undos);
    expect(facts(world)).toEqual(before);
  });

  it('about a namespace that is not known changes nothing', () => {
    const world = web();
    world.suppose.reserved('elsewhere', aReservation('web-0'))();
    expect(world.namespace('elsewhere')).toBeUndefined();
  });
});
