/** As much of ASN.1's distinguished encoding as a certificate takes. */

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

function element(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), length(body.length), body]);
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export function sequence(...content: readonly Buffer[]): Buffer {
  return element(tags.sequence, ...content);
}

export function set(...content: readonly Buffer[]): Buffer {
  return element(tags.set, ...content);
}

export function boolean(value: boolean): Buffer {
  return element(tags.boolean, Buffer.from([value ? 0xff : 0]));
}

/** From the bytes of a positive number, highest first; their first bit must not read as a sign. */
export function integer(bytes: Buffer): Buffer {
  const signed = ((bytes[0] ?? 0) & 0x80) !== 0;
  return element(tags.integer, signed ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** `unused`: how many bits at the end do not count. */
export function bitString(bytes: Buffer, unused = 0): Buffer {
  return element(tags.bitString, Buffer.from([unused]), bytes);
}

export function octetString(bytes: Buffer): Buffer {
  return element(tags.octetString, bytes);
}

export function utf8String(text: string): Buffer {
  return element(tags.utf8String, Buffer.from(text, 'utf8'));
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(tags.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const digits = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128))
    digits.unshift(0x80 | (rest % 128));
  return digits;
}

/** Certificates write years up to 2049 with two digits, and later ones with four. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14);
  const short = Number(digits.slice(0, 4)) < 2050;
  return element(short ? tags.utcTime : tags.generalizedTime, Buffer.from(`${short ? digits.slice(2) : digits}Z`));
}

/** A field that is known by its number: `wraps` says whether whole elements are inside, or bare bytes. */
export function numbered(number: number, content: Buffer, wraps: boolean): Buffer {
  return element((wraps ? 0xa0 : 0x80) | number, content);
}
