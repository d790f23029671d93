import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOfNode, createPodAddresses } from '../../src/nodes/network/addresses.ts';

describe('addresses of pods', () => {
  it('are counted up from 127.10.0.1, leaving out the ends of each block', () => {
    const pool = createPodAddresses('many');
    const given = Array.from({ length: 255 }, (_, index) => pool.claim(`u${index}`, undefined));
    expect([given[0], given[253], given[254]]).toEqual(['127.10.0.1', '127.10.0.254', '127.10.1.1']);
  });

  it('stay with their pod, and come back to a pod that had one', () => {
    const pool = createPodAddresses('many');
    expect(pool.claim('a', undefined)).toBe(pool.claim('a', undefined));
    expect(pool.claim('b', '127.10.0.9')).toBe('127.10.0.9');
    expect(pool.claim('c', '127.10.0.9')).not.toBe('127.10.0.9');
    for (const foreign of ['10.0.0.1', '127.0.0.1', '127.10.0.0', '127.10.0.255', '127.10.0', 'x', '127.10.0.1.2']) {
      expect(pool.claim(`with ${foreign}`, foreign)).not.toBe(foreign);
    }
  });

  it('belong to one pod at a time, whichever pods come and go', () => {
    const deeds = fc.array(fc.tuple(fc.boolean(), fc.nat(15), fc.option(fc.nat(15), { nil: undefined })));
    fc.assert(
      fc.property(deeds, (list) => {
        const pool = createPodAddresses('many');
        const held = new Map<number, string>();
        for (const [isClaim, pod, wish] of list) {
          if (isClaim) held.set(pod, pool.claim(String(pod), wish === undefined ? undefined : `127.10.0.${wish + 1}`));
          else {
            pool.release(String(pod));
            held.delete(pod);
          }
          expect(new Set(held.values()).size).toBe(held.size);
        }
      }),
    );
  });

  it('are all the same where there is only one', () => {
    const pool = createPodAddresses('one');
    expect([pool.claim('a', undefined), pool.claim('b', '127.10.0.1')]).toEqual(['127.0.0.1', '127.0.0.1']);
  });
});

it('a node without an address gets one by its name, the same every time', () => {
  expect(addressOfNode('worker')).toBe(addressOfNode('worker'));
  expect(addressOfNode('worker')).toMatch(/^127\.2\.[0-9]+\.[0-9]+$/);
});
