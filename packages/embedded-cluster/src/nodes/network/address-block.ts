import { createServer, type Server } from 'node:net';
import { firstBlock, lastBlock } from './addresses.ts';

/** Addresses that begin with 127.NUMBER, for one cluster alone. */
export interface AddressBlock {
  readonly number: number;
  release(): void;
}

/** No pod has an address that ends in 255. */
const guard = (block: number) => `127.${block}.255.255`;
const guardPort = 10250;

/**
 * Several clusters may run on one machine, and pods of two of them must not meet at one address. Each keeps a block to itself by
 * listening in it. Where none can be kept, the first one is shared.
 */
export async function reserveBlock(): Promise<AddressBlock> {
  for (let number = firstBlock; number <= lastBlock; number += 1) {
    const held = await hold(number);
    if (held === 'impossible') break;
    if (held !== 'taken') return { number, release: () => void held.close() };
  }
  return { number: firstBlock, release: () => undefined };
}

function hold(block: number): Promise<Server | 'taken' | 'impossible'> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EADDRINUSE' ? 'taken' : 'impossible'),
    );
    server.listen(guardPort, guard(block), () => resolve(server.unref()));
  });
}
