import { isIPv4, isIPv6 } from 'node:net';

/** An IP address as a number; IPv4 and IPv6 never equal each other. */
export class IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
  readonly text: string;

  constructor(family: 4 | 6, bits: bigint, text: string) {
    this.family = family;
    this.bits = bits;
    this.text = text;
  }

  equals(other: IpAddress): boolean {
    return this.family === other.family && this.bits === other.bits;
  }
}

export class Cidr {
  readonly address: IpAddress;
  readonly prefix: number;

  constructor(address: IpAddress, prefix: number) {
    this.address = address;
    this.prefix = prefix;
  }

  get #hostBits(): bigint {
    return BigInt((this.address.family === 4 ? 32 : 128) - this.prefix);
  }

  network(): bigint {
    return (this.address.bits >> this.#hostBits) << this.#hostBits;
  }

  contains(other: IpAddress): boolean {
    if (other.family !== this.address.family) return false;
    return other.bits >> this.#hostBits === this.address.bits >> this.#hostBits;
  }

  containsRange(other: Cidr): boolean {
    return other.prefix >= this.prefix && this.contains(other.address);
  }
}

/** No zones, no leading zeros, no IPv4 inside IPv6: what the real server takes. */
export function parseIp(text: string): IpAddress | undefined {
  if (isIPv4(text)) return new IpAddress(4, join(text.split('.').map(Number), 8n), text);
  if (!isIPv6(text) || text.includes('%') || text.includes('.')) return undefined;
  const [head = '', tail] = text.split('::');
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const gap = tail === undefined ? [] : new Array<number>(8 - left.length - right.length).fill(0);
  return new IpAddress(6, join([...left, ...gap, ...right], 16n), text);
}

function groups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function join(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);
}

export function parseCidr(text: string): Cidr | undefined {
  const [, address = '', length = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const ip = parseIp(address);
  const prefix = Number(length);
  if (!ip || length === '' || prefix > (ip.family === 4 ? 32 : 128)) return undefined;
  return new Cidr(ip, prefix);
}

export function formatIp(ip: IpAddress, bits = ip.bits): string {
  if (ip.family === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join('.');
  const words = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((bits >> shift) & 65535n).toString(16));
  const runs = [...words.join(':').matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)].map((run) => run[0].replace(/^:/, ''));
  const longest = runs.sort((a, b) => b.length - a.length)[0];
  if (longest === undefined) return words.join(':');
  const at = `:${words.join(':')}:`.indexOf(`:${longest}:`);
  const joined = words.join(':');
  return `${joined.slice(0, at).replace(/:$/, '')}::${joined.slice(at + longest.length).replace(/^:/, '')}`;
}
