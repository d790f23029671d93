import { createHash, type KeyObject, sign } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { bitString, boolean, integer, numbered, octetString, oid, sequence, set, time, utf8String } from './der.ts';

/** What a certificate says. Keys are on the curve P-256, signatures are ECDSA with SHA-256. */
export interface CertificateTerms {
  readonly serial: Buffer;
  readonly subject: Name;
  readonly publicKey: KeyObject;
  readonly issuer: Name;
  readonly issuerKey: KeyObject;
  readonly issuerPublicKey: KeyObject;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly use: Use;
}

export interface Name {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** What servers are called by. */
export interface HostNames {
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
}

export type Use =
  /** `only`: it signs certificates of servers with these names, and nothing else. Absent: it signs anything. */
  | { readonly kind: 'authority'; readonly only?: HostNames }
  | { readonly kind: 'client' }
  | ({ readonly kind: 'server' } & HostNames);

const signatureAlgorithm = sequence(oid('1.2.840.10045.4.3.2'));
const version3 = numbered(0, integer(Buffer.from([2])), true);

export function certificatePem(terms: CertificateTerms): string {
  const body = sequence(
    version3,
    integer(terms.serial),
    signatureAlgorithm,
    name(terms.issuer),
    sequence(time(terms.notBeforeMs), time(terms.notAfterMs)),
    name(terms.subject),
    spki(terms.publicKey),
    numbered(3, sequence(...extensions(terms)), true),
  );
  const signature = sign('sha256', body, terms.issuerKey);
  return pem('CERTIFICATE', sequence(body, signatureAlgorithm, bitString(signature)));
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function spki(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

const commonNameOid = oid('2.5.4.3');
const organizationOid = oid('2.5.4.10');

function name({ commonName, organizations }: Name): Buffer {
  const part = (kind: Buffer, text: string) => set(sequence(kind, utf8String(text)));
  return sequence(
    ...organizations.map((organization) => part(organizationOid, organization)),
    part(commonNameOid, commonName),
  );
}

function extensions(terms: CertificateTerms): Buffer[] {
  const { use } = terms;
  const authority = use.kind === 'authority';
  return [
    extension('2.5.29.19', basicConstraints(use), true),
    extension('2.5.29.15', keyUsage(authority), true),
    extension('2.5.29.14', octetString(keyIdentifier(terms.publicKey))),
    ...(authority ? [] : [extension('2.5.29.35', sequence(numbered(0, keyIdentifier(terms.issuerPublicKey), false)))]),
    ...usages(use),
  ];
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value));
}

/** An authority that is limited to names has no authorities below it: they could not be told from servers by their names. */
function basicConstraints(use: Use): Buffer {
  if (use.kind !== 'authority') return sequence();
  return sequence(boolean(true), ...(use.only === undefined ? [] : [integer(Buffer.from([0]))]));
}

/** Bits from the left: 0 signs data, 5 signs certificates, 6 signs lists of revoked ones. */
function keyUsage(authority: boolean): Buffer {
  return authority ? bitString(Buffer.from([0b1000_0110]), 1) : bitString(Buffer.from([0b1000_0000]), 7);
}

/** The hash of the key's own bits: in the encoding of a P-256 key they are the last 65 bytes. */
function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1').update(spki(key).subarray(-65)).digest();
}

function usages(use: Use): Buffer[] {
  switch (use.kind) {
    case 'authority':
      return use.only === undefined ? [] : [authorityLimits(use.only)];
    case 'client':
      return [extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.2')))];
    case 'server':
      return [forServers(), extension('2.5.29.17', alternativeNames(use.dnsNames, use.addresses))];
  }
}

function forServers(): Buffer {
  return extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1')));
}

/**
 * What limits an authority to servers with these names, as it stands in its certificate: so a certificate that contains these bytes is
 * limited to exactly these names. A verifier that does not know the extension refuses the certificate, because it is critical.
 */
export function authorityLimits(only: HostNames): Buffer {
  return Buffer.concat([extension('2.5.29.30', nameConstraints(only), true), forServers()]);
}

/** A kind of name that is permitted nowhere is not limited at all: where there is no address, all of them are excluded. */
function nameConstraints({ dnsNames, addresses }: HostNames): Buffer {
  const subtrees = (bases: readonly Buffer[]) => Buffer.concat(bases.map((base) => sequence(base)));
  const permitted = [
    ...dnsNames.map((dnsName) => numbered(2, Buffer.from(dnsName, 'ascii'), false)),
    ...addresses.map((address) => numbered(7, network(addressBytes(address), 0xff), false)),
  ];
  const everyAddress = [4, 16].map((size) => numbered(7, network(Buffer.alloc(size), 0), false));
  return sequence(
    numbered(0, subtrees(permitted), true),
    ...(addresses.length === 0 ? [numbered(1, subtrees(everyAddress), true)] : []),
  );
}

/** An address and the mask that says how much of it counts. */
function network(address: Buffer, maskByte: number): Buffer {
  return Buffer.concat([address, Buffer.alloc(address.length, maskByte)]);
}

function alternativeNames(dnsNames: readonly string[], addresses: readonly string[]): Buffer {
  return sequence(
    ...dnsNames.map((dnsName) => numbered(2, Buffer.from(dnsName, 'ascii'), false)),
    ...addresses.map((address) => numbered(7, addressBytes(address), false)),
  );
}

function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const front = groups(head);
  const back = groups(tail);
  const middle = Array.from({ length: 8 - front.length - back.length }, () => 0);
  return Buffer.from([...front, ...middle, ...back].flatMap((group) => [group >> 8, group & 0xff]));
}
