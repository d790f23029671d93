/**
 * A short name for a long text: 64 bits in 14 characters. It tells versions of one thing apart, where a mistake costs one more
 * question; it is no protection against a person who looks for two texts with the same digest.
 */
export function digest(text: string): string {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    low = Math.imul(rotate(low ^ unit, 13), 0xcc9e2d51);
    high = Math.imul(rotate(high ^ unit, 15), 0x1b873593) + low;
  }
  return half(spread(low ^ high ^ text.length)) + half(spread(high ^ rotate(low, 16)));
}

function rotate(bits: number, by: number): number {
  return (bits << by) | (bits >>> (32 - by));
}

/** Every bit of the result depends on every bit of the number. */
function spread(bits: number): number {
  const first = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  const second = Math.imul(first ^ (first >>> 15), 0x846ca68b);
  return (second ^ (second >>> 16)) >>> 0;
}

function half(bits: number): string {
  return bits.toString(36).padStart(7, '0');
}
