import { WireError } from './wire.ts';

const wireTypes = { varint: 0, fixed64: 1, bytes: 2 } as const;

/** Most objects fit; larger ones double it. */
const firstBytes = 2048;

/**
 * Writes protobuf from its end to its beginning: the length of a part is known once the part is written, so that nothing
 * is measured first and nothing is copied into what is around it. Callers say the last thing first.
 */
export class WireWriter {
  #buffer = Buffer.allocUnsafe(firstBytes);
  #start = firstBytes;

  /** How much is written; handed to `length` it closes the part that began there. */
  get size(): number {
    return this.#buffer.length - this.#start;
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#start -= bytes.length;
    this.#buffer.set(bytes, this.#start);
  }

  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.#reserve(length);
    this.#start -= length;
    this.#buffer.write(text, this.#start);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#buffer.writeDoubleLE(value, this.#start);
  }

  /** Four bytes, the largest first: lengths of frames. */
  uint32(value: number): void {
    this.#reserve(4);
    this.#start -= 4;
    this.#buffer.writeUInt32BE(value, this.#start);
  }

  varint(value: number): void {
    if (!Number.isSafeInteger(value)) throw new WireError(`${value} is not an integer that can be sent`);
    if (value < 0) this.#bytesOfNegative(BigInt.asUintN(64, BigInt(value)));
    else this.#bytesOfPositive(value);
  }

  #bytesOfPositive(value: number): void {
    const length = varintLength(value);
    this.#reserve(length);
    this.#start -= length;
    let rest = value;
    for (let at = this.#start; at < this.#start + length - 1; at++) {
      this.#buffer[at] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#start + length - 1] = rest;
  }

  #bytesOfNegative(value: bigint): void {
    const groups: number[] = [];
    for (let rest = value; rest > 0n; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80);
    groups.push((groups.pop() as number) & 0x7f);
    this.bytes(Uint8Array.from(groups));
  }

  tag(number: number, type: keyof typeof wireTypes): void {
    this.varint(number * 8 + wireTypes[type]);
  }

  /** Closes a field whose content is everything since `size` was `before`. */
  length(number: number, before: number): void {
    this.varint(this.size - before);
    this.tag(number, 'bytes');
  }

  textField(number: number, text: string): void {
    const before = this.size;
    this.text(text);
    this.length(number, before);
  }

  /** What was written, as bytes of their own. */
  done(): Buffer {
    return Buffer.from(this.#buffer.subarray(this.#start));
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#start) return;
    const written = this.#buffer.subarray(this.#start);
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, written.length + bytes));
    this.#start = larger.length - written.length;
    larger.set(written, this.#start);
    this.#buffer = larger;
  }
}

function varintLength(value: number): number {
  let length = 1;
  for (let limit = 0x80; value >= limit; limit *= 0x80) length += 1;
  return length;
}
