/** Writes protobuf by hand, so that tests can say things that no client does. */

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

export function concat(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts);
}

export function varintField(number: number, value: bigint): Buffer {
  return concat(varint(BigInt(number) << 3n), varint(value));
}

export function bytesField(number: number, bytes: Buffer): Buffer {
  return concat(varint((BigInt(number) << 3n) | 2n), varint(BigInt(bytes.length)), bytes);
}

export function textField(number: number, text: string): Buffer {
  return bytesField(number, Buffer.from(text));
}

export function body(apiVersion: string, kind: string, ...fields: readonly Buffer[]): Buffer {
  const typeMeta = concat(textField(1, apiVersion), textField(2, kind));
  return concat(Buffer.from('k8s\0', 'latin1'), bytesField(1, typeMeta), bytesField(2, concat(...fields)));
}
