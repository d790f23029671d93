import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../../src/kinds/cron.ts';
import { isTimeZone, nextTime } from '../../src/kinds/cron-time.ts';

const at = (text: string) => Date.parse(`${text}Z`);

function next(text: string, after: string, timeZone?: string): string | undefined {
  const parsed = parseSchedule(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  const found = nextTime(parsed.schedule, at(after), timeZone);
  return found === undefined ? undefined : new Date(found).toISOString().slice(0, 19);
}

describe('the next time of a schedule', () => {
  it.each([
    { text: '* * * * *', after: '2026-01-01T00:00:00', want: '2026-01-01T00:01:00' },
    { text: '* * * * *', after: '2026-01-01T00:00:59', want: '2026-01-01T00:01:00' },
    { text: '*/15 * * * *', after: '2026-01-01T00:46:00', want: '2026-01-01T01:00:00' },
    { text: '5/20 * * * *', after: '2026-01-01T00:26:00', want: '2026-01-01T00:45:00' },
    { text: '0 3 * * *', after: '2026-12-31T03:00:00', want: '2027-01-01T03:00:00' },
    { text: '0 0 1,15 * *', after: '2026-01-02T00:00:00', want: '2026-01-15T00:00:00' },
    { text: '0 0 * feb-mar mon', after: '2026-01-02T00:00:00', want: '2026-02-02T00:00:00' },
    { text: '0 0 13 * FRI', after: '2026-01-01T00:00:00', want: '2026-01-02T00:00:00' },
    { text: '0 0 */2 * FRI', after: '2026-01-02T00:00:00', want: '2026-01-03T00:00:00' },
    { text: '0 0 29 2 *', after: '2026-01-01T00:00:00', want: '2028-02-29T00:00:00' },
    { text: '0 0 30 2 *', after: '2026-01-01T00:00:00', want: undefined },
    { text: '@hourly', after: '2026-01-01T00:00:00', want: '2026-01-01T01:00:00' },
    { text: '@weekly', after: '2026-01-01T00:00:00', want: '2026-01-04T00:00:00' },
    { text: '@every 1h30m', after: '2026-01-01T00:10:07', want: '2026-01-01T01:40:07' },
    { text: '@every 0.5s', after: '2026-01-01T00:00:00', want: '2026-01-01T00:00:01' },
  ])('$text after $after: $want', ({ text, after, want }) => {
    expect(next(text, after)).toBe(want);
  });

  it.each([
    { zone: 'Europe/Berlin', text: '0 12 * * *', after: '2026-01-01T00:00:00', want: '2026-01-01T11:00:00' },
    { zone: 'Europe/Berlin', text: '0 12 * * *', after: '2026-07-01T00:00:00', want: '2026-07-01T10:00:00' },
    { zone: 'Asia/Kolkata', text: '0 0 * * *', after: '2026-01-01T00:00:00', want: '2026-01-01T18:30:00' },
    // 02:30 is left out on the 29th of March.
    { zone: 'Europe/Berlin', text: '30 2 * * *', after: '2026-03-28T12:00:00', want: '2026-03-30T00:30:00' },
  ])('$text in $zone after $after: $want', ({ zone, text, after, want }) => {
    expect(next(text, after, zone)).toBe(want);
  });

  it('is the first minute after it that matches, found by looking at every minute', () => {
    const field = (min: number, max: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min, max }).map(String),
        fc.integer({ min: 1, max: 9 }).map((n) => `*/${n}`),
      );
    const schedule = fc.tuple(field(0, 59), field(0, 23), fc.constant('*'), fc.constant('*'), field(0, 6));
    fc.assert(
      fc.property(schedule, fc.integer({ min: 0, max: 525_600 }), (fields, minute) => {
        const after = at('2026-01-01T00:00:00') + minute * 60_000;
        const [minutes = '', hours = '', , , days = ''] = fields;
        const has = (text: string, value: number) =>
          text === '*' || (text.startsWith('*/') ? value % Number(text.slice(2)) === 0 : Number(text) === value);
        let wanted = after + 60_000;
        for (;;) {
          const date = new Date(wanted);
          if (has(minutes, date.getUTCMinutes()) && has(hours, date.getUTCHours()) && has(days, date.getUTCDay()))
            break;
          wanted += 60_000;
        }
        expect(next(fields.join(' '), new Date(after).toISOString().slice(0, 19))).toBe(
          new Date(wanted).toISOString().slice(0, 19),
        );
      }),
    );
  });
});

describe('schedules that cannot be read', () => {
  it.each([
    ['', 'expected exactly 5 fields, found 1: []'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['@often', 'unrecognized descriptor: @often'],
    ['@every soon', 'failed to parse duration @every soon'],
  ])('%s: %s', (text, problem) => {
    expect(parseSchedule(text)).toEqual({ ok: false, problem });
  });

  it('knows which time zones there are', () => {
    expect(['UTC', 'Europe/Berlin', 'Mars/Olympus'].map(isTimeZone)).toEqual([true, true, false]);
  });
});
