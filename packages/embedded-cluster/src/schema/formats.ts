import { isIPv4, isIPv6 } from 'node:net';
import { parseCidr } from '../cel/addresses.ts';

/** The formats of strings that the real server checks; others are ignored. All patterns are linear in the text. */

const dateTime = /^\d{4}-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const duration =
  /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*$/;
const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const maxHostname = 255;

const checks: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date-time', isDateTime],
  ['datetime', isDateTime],
  ['date', isDate],
  ['duration', (text) => text === '0' || duration.test(text)],
  ['byte', isBase64],
  ['uuid', (text) => uuid.test(text)],
  ['uuid3', (text) => uuid.test(text) && text.replaceAll('-', '').charAt(12) === '3'],
  ['uuid4', (text) => uuid.test(text) && /^.{12}4.{3}[89ab]/i.test(text.replaceAll('-', ''))],
  ['uuid5', (text) => uuid.test(text) && /^.{12}5.{3}[89ab]/i.test(text.replaceAll('-', ''))],
  ['ipv4', (text) => isIPv4(text)],
  ['ipv6', (text) => isIPv6(text)],
  ['cidr', (text) => parseCidr(text) !== undefined],
  ['mac', (text) => /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}$/i.test(text)],
  ['uri', (text) => /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:\S*|\/\S*)$/.test(text)],
  ['hostname', isHostname],
  ['email', isEmail],
  ['hexcolor', (text) => /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)],
  ['k8s-short-name', (text) => text.length <= 63 && label.test(text)],
  ['k8s-long-name', (text) => text.length <= 253 && text.split('.').every((part) => label.test(part))],
]);

export function isKnownFormat(format: string): boolean {
  return checks.has(format);
}

export function hasFormat(text: string, format: string): boolean {
  return checks.get(format)?.(text) ?? true;
}

function isDateTime(text: string): boolean {
  const [, month, day, hour, minute, second] = dateTime.exec(text) ?? [];
  if (month === undefined) return false;
  return isDate(text.slice(0, 10)) && Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60 && day !== '00';
}

/** The calendar decides: there is no 30th of February. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isHostname(text: string): boolean {
  if (text.length === 0 || text.length > maxHostname) return false;
  return text
    .split('.')
    .every((part) => part.length <= 63 && /^[\p{L}\p{S}0-9](?:[-\p{L}\p{S}0-9]*[\p{L}\p{S}0-9])?$/u.test(part));
}

function isEmail(text: string): boolean {
  const address = /<([^<>]*)>$/.exec(text)?.[1] ?? text;
  return address.length <= 320 && /^[^\s@<>",;:\\[\]()]+@[^\s@<>",;:\\[\]()]+$/.test(address);
}
