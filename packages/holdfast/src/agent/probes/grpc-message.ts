/** As much of gRPC's framing, of protobuf and of grpc.health.v1 as a health check needs. */

const servingNames = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;

export const healthCheckPath = '/grpc.health.v1.Health/Check';

const headBytes = 5;

/** HealthCheckRequest: field 1 is the service's name. Before it stand the flag for "not compressed" and the length. */
export function encodeCheck(service: string): Buffer {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a]), varint(name.length), name]);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}

/** The status that a HealthCheckResponse has; undefined: it cannot be read. */
export function decodeStatus(bytes: Buffer): string | undefined {
  if (bytes.length < headBytes || bytes[0] !== 0) return undefined;
  const end = headBytes + bytes.readUInt32BE(1);
  if (bytes.length < end) return undefined;
  const status = readStatus(bytes.subarray(headBytes, end));
  return status === undefined ? undefined : (servingNames[status] ?? String(status));
}

/** Field 1 where it stands last; a message without it says 0. */
function readStatus(message: Buffer): number | undefined {
  let status = 0;
  let at = 0;
  while (at < message.length) {
    const tag = readVarint(message, at);
    if (tag === undefined) return undefined;
    const after = afterField(message, tag.end, tag.value & 7);
    if (after === undefined) return undefined;
    if (tag.value === 0x08) status = readVarint(message, tag.end)?.value ?? 0;
    at = after;
  }
  return status;
}

function afterField(message: Buffer, at: number, wireType: number): number | undefined {
  const value = wireType === 0 || wireType === 2 ? readVarint(message, at) : undefined;
  const end = { 0: value?.end, 1: at + 8, 2: value && value.end + value.value, 5: at + 4 }[wireType];
  return end === undefined || end > message.length ? undefined : end;
}

const maxVarintBytes = 10;

function readVarint(message: Buffer, start: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = 0; index < maxVarintBytes; index += 1) {
    const byte = message[start + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: start + index + 1 };
  }
  return undefined;
}
