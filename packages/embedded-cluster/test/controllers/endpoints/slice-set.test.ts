import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxEndpointsPerSlice, SliceSet } from '../../../src/controllers/endpoints/slice-set.ts';
import { maxAddresses, subsetsOf } from '../../../src/controllers/endpoints/subsets.ts';
import type { AddressMember, ResolvedPort, SliceMember } from '../../../src/controllers/endpoints/types.ts';

function port(number: number): ResolvedPort {
  return { name: 'http', port: number, protocol: 'TCP' };
}

function member(pod: number, number: number, ready: boolean): SliceMember {
  const endpoint = { addresses: [`10.0.0.${pod}`], conditions: { ready }, targetRef: { kind: 'Pod', name: `p${pod}` } };
  return { family: 'IPv4', ports: [port(number)], endpoint };
}

/** Writes what is to be written, as the API server would keep it. */
function settle(set: SliceSet): number {
  const { write } = set.settle();
  for (const slice of write) slice.dirty = false;
  return write.length;
}

describe('slices', () => {
  const step = fc.record({
    pod: fc.nat(300),
    port: fc.nat(1),
    ready: fc.boolean(),
    gone: fc.boolean(),
    settle: fc.boolean(),
  });

  it('hold each pod once, with its port, and never more than fit', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        const set = new SliceSet();
        const wanted = new Map<string, string>();
        for (const { pod, port: number, ready, gone, settle: now } of steps) {
          set.place(`p${pod}`, 'IPv4', gone ? undefined : member(pod, number, ready));
          if (gone) wanted.delete(`p${pod}`);
          else wanted.set(`p${pod}`, `${number} ${ready}`);
          if (now) settle(set);
        }
        set.ensurePlaceholder('IPv4');
        settle(set);
        const found = set
          .all()
          .flatMap(({ ports, endpoints }) =>
            [...endpoints.values()].map(
              ({ targetRef, conditions }) => [targetRef?.name, `${ports[0]?.port} ${conditions?.ready}`] as const,
            ),
          );
        expect(found).toHaveLength(wanted.size);
        expect(new Map(found)).toEqual(wanted);
        for (const { endpoints } of set.all()) {
          expect(endpoints.size).toBeLessThanOrEqual(maxEndpointsPerSlice);
          if (set.count > 1) expect(endpoints.size).toBeGreaterThan(0);
        }
        expect(set.podNames()).toEqual(new Set(wanted.keys()));
      }),
      { numRuns: 50 },
    );
  });

  it('are not written again for what is as it was', () => {
    const set = new SliceSet();
    for (let pod = 0; pod < 250; pod += 1) set.place(`p${pod}`, 'IPv4', member(pod, 80, true));
    expect(settle(set)).toBe(3);
    for (let pod = 0; pod < 250; pod += 1) set.place(`p${pod}`, 'IPv4', member(pod, 80, true));
    expect(settle(set)).toBe(0);
    set.place('p120', 'IPv4', member(120, 80, false));
    expect(settle(set)).toBe(1);
  });
});

describe('subsets', () => {
  function address(index: number, ready: boolean, ports: ResolvedPort[] = [port(80)]): AddressMember {
    return { address: { ip: `10.0.${index >> 8}.${index & 255}` }, ready, ports };
  }

  it('leave out what is too much, what is not ready first', () => {
    const members = Array.from({ length: maxAddresses + 500 }, (_, index) => address(index, index >= 600));
    const { subsets, truncated } = subsetsOf(members);
    expect(truncated).toBe(true);
    expect(subsets[0]?.addresses).toHaveLength(900);
    expect(subsets[0]?.notReadyAddresses).toHaveLength(100);
  });

  it('are complete up to the limit', () => {
    const members = Array.from({ length: maxAddresses }, (_, index) => address(index, true));
    const { subsets, truncated } = subsetsOf(members);
    expect(truncated).toBe(false);
    expect(subsets[0]?.addresses).toHaveLength(maxAddresses);
  });

  it('bring together the ports that the same addresses serve', () => {
    const metrics: ResolvedPort = { name: 'a-metrics', port: 9090, protocol: 'TCP' };
    const both = subsetsOf([address(1, true, [port(80), metrics]), address(2, false, [port(80), metrics])]).subsets;
    expect(both).toEqual([
      {
        addresses: [{ ip: '10.0.0.1' }],
        notReadyAddresses: [{ ip: '10.0.0.2' }],
        ports: [metrics, port(80)],
      },
    ]);
    const apart = subsetsOf([address(1, true, [port(80), metrics]), address(2, true, [port(80)])]).subsets;
    expect(
      apart.map(({ addresses, ports }) => [addresses?.map(({ ip }) => ip), ports?.map(({ name }) => name)]),
    ).toEqual([
      [['10.0.0.1', '10.0.0.2'], ['http']],
      [['10.0.0.1'], ['a-metrics']],
    ]);
  });
});
