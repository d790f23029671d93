/** Chance is an argument: the same seed gives the same names, uids and jitter. */

import { randomBytes } from 'node:crypto';

export interface Random {
  /** In [0, 1). */
  next(): number;
}

/** Asking the system costs as much for a page as for a number, and a single uid takes 32 numbers. */
const pageBytes = 4096;

function buffered(): Random {
  let page = randomBytes(pageBytes);
  let used = 0;
  return {
    next() {
      if (used + 4 > page.length) {
        page = randomBytes(pageBytes);
        used = 0;
      }
      used += 4;
      return page.readUInt32LE(used - 4) / 2 ** 32;
    },
  };
}

export const systemRandom: Random = buffered();

/** A small, fast generator (mulberry32): not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = state;
      mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

/** No vowels and no look-alikes, as Kubernetes chooses for generated names, so that no words come out. */
const nameLetters = 'bcdfghjklmnpqrstvwxz2456789';

export function randomSuffix(random: Random, length = 5): string {
  let suffix = '';
  for (let index = 0; index < length; index += 1) {
    suffix += nameLetters[Math.floor(random.next() * nameLetters.length)];
  }
  return suffix;
}

const dash = 45;
const dashesBefore = new Set([8, 12, 16, 20]);

/** A version 4 UUID, in one piece: a text put together from parts would keep all of them in memory. */
export function randomUid(random: Random): string {
  const codes: number[] = [];
  for (let index = 0; index < 32; index += 1) {
    if (dashesBefore.has(index)) codes.push(dash);
    const digit = Math.floor(random.next() * 16);
    codes.push(hexCode(index === 12 ? 4 : index === 16 ? (digit & 0x3) | 0x8 : digit));
  }
  return String.fromCharCode(...codes);
}

function hexCode(digit: number): number {
  return digit < 10 ? 48 + digit : 87 + digit;
}
