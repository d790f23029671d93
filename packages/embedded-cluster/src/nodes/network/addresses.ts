import { createServer } from 'node:net';

/** Addresses for pods: 127.10.0.1 and up. The first numbers belong to the machine itself and to nodes. */
export const firstBlock = 10;
export const lastBlock = 250;
const perBlock = 256 * 254;
const capacity = (lastBlock - firstBlock + 1) * perBlock;

const shared = '127.0.0.1';

export interface PodAddresses {
  /** The same for the same pod until it is released. One that the pod had before is kept where it is free. */
  claim(uid: string, before: string | undefined): string;
  release(uid: string): void;
}

/** Addresses are those of the block as long as there are enough. */
export function createPodAddresses(mode: AddressMode, block = firstBlock): PodAddresses {
  return mode === 'many'
    ? new AddressPool((block - firstBlock) * perBlock)
    : { claim: () => shared, release: () => undefined };
}

class AddressPool implements PodAddresses {
  readonly #owners = new Map<number, string>();
  readonly #numbers = new Map<string, number>();
  /** Given back; taken again only after a while, oldest first, so that an old address does not lead to a new pod at once. */
  readonly #free = new Set<number>();
  readonly #first: number;
  #next: number;

  constructor(first: number) {
    this.#first = first;
    this.#next = first;
  }

  claim(uid: string, before: string | undefined): string {
    const known = this.#numbers.get(uid);
    if (known !== undefined) return format(known);
    const earlier = before === undefined ? undefined : parse(before);
    const number = earlier !== undefined && this.#isFree(earlier) ? earlier : this.#take();
    this.#free.delete(number);
    this.#owners.set(number, uid);
    this.#numbers.set(uid, number);
    return format(number);
  }

  release(uid: string): void {
    const number = this.#numbers.get(uid);
    if (number === undefined) return;
    this.#numbers.delete(uid);
    this.#owners.delete(number);
    this.#free.add(number);
  }

  /** An address of another block may be that of another cluster's pod. */
  #isFree(number: number): boolean {
    return number >= this.#first && number < this.#first + perBlock && !this.#owners.has(number);
  }

  #take(): number {
    while (this.#next < capacity && this.#owners.has(this.#next)) this.#next += 1;
    if (this.#next < this.#first + maxFresh || this.#free.size === 0) {
      this.#next += 1;
      return this.#next - 1;
    }
    return this.#free.values().next().value as number;
  }
}

/** As long as there are fewer, every pod gets an address that no pod had before. */
const maxFresh = perBlock;

function format(number: number): string {
  const block = firstBlock + Math.floor(number / perBlock);
  const rest = number % perBlock;
  return `127.${block}.${Math.floor(rest / 254)}.${(rest % 254) + 1}`;
}

function parse(address: string): number | undefined {
  const [first, block, third, fourth, ...more] = address.split('.').map(Number);
  if (first !== 127 || block === undefined || third === undefined || fourth === undefined || more.length > 0) return;
  const number = (block - firstBlock) * perBlock + third * 254 + fourth - 1;
  return number >= 0 && number < capacity && format(number) === address ? number : undefined;
}

/** `many`: any address of 127.0.0.0/8 can be listened on. `one`: only 127.0.0.1, as on macOS. */
export type AddressMode = 'many' | 'one';

const tried = '127.250.255.254';

export function detectAddresses(): Promise<AddressMode> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve('one'));
    server.listen(0, tried, () => server.close(() => resolve('many')));
  });
}

/** The address of a node that does not say its own. Nodes share addresses without harm: nothing of theirs listens. */
export function addressOfNode(name: string): string {
  let hash = 7;
  for (const letter of name) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return `127.2.${(hash >>> 8) & 255}.${(hash % 254) + 1}`;
}
