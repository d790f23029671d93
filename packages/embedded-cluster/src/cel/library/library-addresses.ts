import type { Environment } from '@marcbachmann/cel-js';
import { Cidr, formatIp, IpAddress, parseCidr, parseIp } from '../addresses.ts';

const sync = { async: false };

export function registerAddresses(environment: Environment): void {
  environment.registerType('net.IP', IpAddress);
  environment.registerType('net.CIDR', Cidr);
  registerIp(environment);
  registerCidr(environment);
}

function ipOf(text: string): IpAddress {
  const ip = parseIp(text);
  if (!ip) throw new Error(`IP Address "${text}" parse error during conversion from string: unable to parse IP`);
  return ip;
}

function cidrOf(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`network address parse error during conversion from string: invalid CIDR "${text}"`);
  return cidr;
}

function within(...ranges: readonly string[]): (ip: IpAddress) => boolean {
  const parsed = ranges.map(cidrOf);
  return (ip) => parsed.some((range) => range.contains(ip));
}

const unspecified = within('0.0.0.0/32', '::/128');
const loopback = within('127.0.0.0/8', '::1/128');
const linkLocalMulticast = within('224.0.0.0/24', 'ff02::/16');
const linkLocalUnicast = within('169.254.0.0/16', 'fe80::/10');
const multicast = within('224.0.0.0/4', 'ff00::/8');
const broadcast = within('255.255.255.255/32');

function registerIp(environment: Environment): void {
  const add = (signature: string, handler: (...args: never[]) => unknown) =>
    environment.registerFunction(signature, handler, sync);
  add('ip(string): net.IP', ipOf);
  add('isIP(string): bool', (text: string) => parseIp(text) !== undefined);
  add('string(net.IP): string', (ip: IpAddress) => formatIp(ip));
  add('net.IP.family(): int', (ip: IpAddress) => BigInt(ip.family));
  add('net.IP.isUnspecified(): bool', unspecified);
  add('net.IP.isLoopback(): bool', loopback);
  add('net.IP.isLinkLocalMulticast(): bool', linkLocalMulticast);
  add('net.IP.isLinkLocalUnicast(): bool', linkLocalUnicast);
  add('net.IP.isGlobalUnicast(): bool', (ip: IpAddress) =>
    [unspecified, loopback, multicast, linkLocalUnicast, broadcast].every((range) => !range(ip)),
  );
  environment.registerOperator('net.IP == net.IP', (a: IpAddress, b: IpAddress) => a.equals(b));
}

function registerCidr(environment: Environment): void {
  const add = (signature: string, handler: (...args: never[]) => unknown) =>
    environment.registerFunction(signature, handler, sync);
  add('cidr(string): net.CIDR', cidrOf);
  add('isCIDR(string): bool', (text: string) => parseCidr(text) !== undefined);
  add('string(net.CIDR): string', (cidr: Cidr) => `${formatIp(cidr.address)}/${cidr.prefix}`);
  add('net.CIDR.ip(): net.IP', (cidr: Cidr) => cidr.address);
  add('net.CIDR.prefixLength(): int', (cidr: Cidr) => BigInt(cidr.prefix));
  add('net.CIDR.masked(): net.CIDR', (cidr: Cidr) => {
    const text = formatIp(cidr.address, cidr.network());
    return new Cidr(new IpAddress(cidr.address.family, cidr.network(), text), cidr.prefix);
  });
  add('net.CIDR.containsIP(net.IP): bool', (cidr: Cidr, ip: IpAddress) => cidr.contains(ip));
  add('net.CIDR.containsIP(string): bool', (cidr: Cidr, ip: string) => cidr.contains(ipOf(ip)));
  add('net.CIDR.containsCIDR(net.CIDR): bool', (cidr: Cidr, other: Cidr) => cidr.containsRange(other));
  add('net.CIDR.containsCIDR(string): bool', (cidr: Cidr, other: string) => cidr.containsRange(cidrOf(other)));
  environment.registerOperator(
    'net.CIDR == net.CIDR',
    (a: Cidr, b: Cidr) => a.prefix === b.prefix && a.address.equals(b.address),
  );
}
