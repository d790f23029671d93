/** Schedules of cron jobs: five fields, or a word for a common one. */

export type Schedule =
  | { readonly kind: 'fields'; readonly fields: readonly CronField[] }
  | { readonly kind: 'every'; readonly ms: number };

export interface CronField {
  readonly values: ReadonlySet<number>;
  /** `*` or `?`: a day is then judged by the other field of days alone. */
  readonly any: boolean;
}

export type ParsedSchedule =
  | { readonly ok: true; readonly schedule: Schedule }
  | { readonly ok: false; readonly problem: string };

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const bounds: readonly Bounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: weekdays },
];

const words: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

class Unreadable extends Error {}

export function parseSchedule(text: string): ParsedSchedule {
  try {
    return { ok: true, schedule: read(text.trim()) };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, problem: error.message };
    throw error;
  }
}

function read(text: string): Schedule {
  if (text.startsWith('@every ')) return { kind: 'every', ms: readDuration(text.slice('@every '.length)) };
  if (text.startsWith('@') && !Object.hasOwn(words, text)) throw new Unreadable(`unrecognized descriptor: ${text}`);
  const fields = (words[text] ?? text).split(/\s+/);
  if (fields.length !== bounds.length) {
    throw new Unreadable(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  }
  return { kind: 'fields', fields: bounds.map((bound, index) => readField(fields[index] ?? '', bound)) };
}

const durationUnits: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Whole seconds, and never less than one. */
function readDuration(text: string): number {
  if (!/^(\d+(\.\d+)?[smh])+$/.test(text)) throw new Unreadable(`failed to parse duration @every ${text}`);
  let ms = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)([smh])/g)) {
    ms += Number(amount) * (durationUnits[unit] ?? 0);
  }
  return Math.max(1_000, Math.floor(ms / 1_000) * 1_000);
}

function readField(text: string, bound: Bounds): CronField {
  const values = new Set<number>();
  let any = false;
  for (const part of text.split(',')) {
    const { from, to, step, star } = readRange(part, bound);
    for (let value = from; value <= to; value += step) values.add(value);
    any ||= star;
  }
  return { values, any };
}

function readRange(text: string, { min, max, names }: Bounds) {
  const [range = '', step, ...more] = text.split('/');
  const [low = '', high, ...beyond] = range.split('-');
  if (more.length > 0) throw new Unreadable(`too many slashes: ${text}`);
  if (beyond.length > 0) throw new Unreadable(`too many hyphens: ${text}`);
  const star = low === '*' || low === '?';
  const from = star ? min : readValue(low, names);
  // A step after a single value goes on to the end.
  const open = star || (high === undefined && step !== undefined);
  const to = open ? max : high === undefined ? from : readValue(high, names);
  const every = step === undefined ? 1 : readNumber(step);
  if (from < min) throw new Unreadable(`beginning of range (${from}) below minimum (${min}): ${text}`);
  if (to > max) throw new Unreadable(`end of range (${to}) above maximum (${max}): ${text}`);
  if (from > to) throw new Unreadable(`beginning of range (${from}) beyond end of range (${to}): ${text}`);
  if (every === 0) throw new Unreadable(`step of range should be a positive number: ${text}`);
  return { from, to, step: every, star: star && every === 1 };
}

function readValue(text: string, names: readonly string[]): number {
  const named = names.indexOf(text.toLowerCase());
  if (named < 0) return readNumber(text);
  return names === months ? named + 1 : named;
}

function readNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Unreadable(
    `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
}
