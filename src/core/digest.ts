/** Two different primes of the FNV family, so that what collides in one half does not in the other. */
const primes = [0x01000193, 0x01000193 ^ 0x5bd1e995] as const;
const offsets = [0x811c9dc5, 0x9747b28c] as const;

/**
 * About a dozen characters for a text of any length. It tells apart what differs by chance, and is kept for every pod; it is no
 * secret, and an owner of a pod who makes two of them collide deceives their own budget alone.
 */
export function digestOf(text: string): string {
  let [first, second] = offsets as readonly [number, number];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    first = Math.imul(first ^ code, primes[0]);
    second = Math.imul(second ^ code, primes[1]);
    second ^= second >>> 15;
  }
  return (first >>> 0).toString(36) + (second >>> 0).toString(36);
}
