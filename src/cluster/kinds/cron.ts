/** Schedules of cron jobs: five fields, or a word for a common one. */

export type Schedule =
  | { readonly kind: 'fields'; readonly fields: readonly CronField[] }
  | { readonly kind: 'every'; readonly ms: number };

interface CronField {
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

/** Where nothing matches for so long, nothing ever will: the thirtieth of February. */
const maxYears = 5;
const minuteMs = 60_000;
const dayMs = 86_400_000;

/**
 * The first time after this one, in milliseconds; undefined: never. Fields are read on the clock of the time zone; a time that
 * a change of its clocks leaves out is left out.
 */
export function nextTime(schedule: Schedule, afterMs: number, timeZone = 'UTC'): number | undefined {
  if (schedule.kind === 'every') return Math.floor(afterMs / 1_000) * 1_000 + schedule.ms;
  const last = afterMs + maxYears * 366 * dayMs;
  let wall = wallTime(afterMs, timeZone);
  while (wall < last) {
    wall = nextWall(schedule.fields, wall, last);
    const instant = instantOf(wall, timeZone);
    if (instant !== undefined && instant > afterMs) return instant < last ? instant : undefined;
  }
  return undefined;
}

/** The next match after a time on the wall, both as if they were UTC; fields that do not match are skipped as a whole. */
function nextWall(fields: readonly CronField[], after: number, last: number): number {
  const has = (index: number, value: number) => fields[index]?.values.has(value) === true;
  let time = Math.floor(after / minuteMs) * minuteMs + minuteMs;
  while (time < last) {
    const date = new Date(time);
    const [year, month, day, hour] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCHours()];
    if (!has(3, month + 1)) time = Date.UTC(year, month + 1);
    else if (!isDay(fields, date)) time = Date.UTC(year, month, day + 1);
    else if (!has(1, hour)) time = Date.UTC(year, month, day, hour + 1);
    else if (!has(0, date.getUTCMinutes())) time += minuteMs;
    else return time;
  }
  return last;
}

/** Where both days of the month and days of the week are given, either will do. */
function isDay(fields: readonly CronField[], date: Date): boolean {
  const [, , ofMonth, , ofWeek] = fields;
  const month = ofMonth?.values.has(date.getUTCDate()) === true;
  const week = ofWeek?.values.has(date.getUTCDay()) === true;
  return ofMonth?.any === true || ofWeek?.any === true ? month && week : month || week;
}

export function isTimeZone(name: string): boolean {
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Formatters are dear, and a cluster uses few zones; beyond this many, the known ones are forgotten. */
const maxFormatters = 100;
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formatters.size >= maxFormatters) formatters.clear();
  formatters.set(timeZone, made);
  return made;
}

/** What clocks of a zone show, as if it were UTC. */
function wallTime(ms: number, timeZone: string): number {
  if (timeZone === 'UTC') return ms;
  const parts = formatterOf(timeZone).formatToParts(ms);
  const [year = 0, month = 1, day, hour, minute, second] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map(
    (type) => Number(parts.find((part) => part.type === type)?.value),
  );
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** When clocks of a zone show this; undefined where they never do. */
function instantOf(wall: number, timeZone: string): number | undefined {
  if (timeZone === 'UTC') return wall;
  // Offsets before and after the time: one of them is right, except in an hour that is left out.
  for (const around of [wall - dayMs, wall + dayMs]) {
    const instant = wall - (wallTime(around, timeZone) - around);
    if (wallTime(instant, timeZone) === wall) return instant;
  }
  return undefined;
}
