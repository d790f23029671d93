import { expect, it } from 'vitest';
import { reserveBlock } from '../../src/nodes/network/address-block.ts';
import { createPodAddresses, detectAddresses } from '../../src/nodes/network/addresses.ts';

it('gives each cluster of a machine a block of its own', async () => {
  if ((await detectAddresses()) === 'one') return;
  const [first, second] = [await reserveBlock(), await reserveBlock()];
  expect(second.number).toBeGreaterThan(first.number);
  const address = createPodAddresses('many', second.number).claim('a', undefined);
  expect(address).toBe(`127.${second.number}.0.1`);
  first.release();
  second.release();
});

it('keeps an address that a pod had before only within the block', () => {
  const pool = createPodAddresses('many', 12);
  expect(pool.claim('a', '127.12.0.9')).toBe('127.12.0.9');
  expect(pool.claim('b', '127.10.0.9')).toBe('127.12.0.1');
});
