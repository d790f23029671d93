import type { CronField, Schedule } from './cron.ts';

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
