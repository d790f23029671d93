/** How long ago, in at most two units, as kubectl shows ages. */
export function humanAge(timestamp: string, nowMs: number): string {
  const then = Date.parse(timestamp);
  return Number.isNaN(then) ? '<invalid>' : humanDuration(Math.trunc((nowMs - then) / 1_000));
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Each line: up to when it is used, its unit, and the smaller unit that is shown too. */
const scales: readonly (readonly [below: number, unit: number, letter: string, part: number, partLetter: string])[] = [
  [2 * minute, 1, 's', 0, ''],
  [10 * minute, minute, 'm', 1, 's'],
  [3 * hour, minute, 'm', 0, ''],
  [8 * hour, hour, 'h', minute, 'm'],
  [2 * day, hour, 'h', 0, ''],
  [8 * day, day, 'd', hour, 'h'],
  [2 * year, day, 'd', 0, ''],
  [8 * year, year, 'y', day, 'd'],
  [Number.POSITIVE_INFINITY, year, 'y', 0, ''],
];

function humanDuration(seconds: number): string {
  if (seconds < -1) return '<invalid>';
  const positive = Math.max(0, seconds);
  for (const [below, unit, letter, part, partLetter] of scales) {
    if (positive >= below) continue;
    const whole = `${Math.floor(positive / unit)}${letter}`;
    const rest = part === 0 ? 0 : Math.floor((positive % unit) / part);
    return rest === 0 ? whole : `${whole}${rest}${partLetter}`;
  }
  return '';
}
