import { InvalidArgumentError } from 'commander';

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 };
const maxDurationMs = 24 * 3_600_000;

/** As kubectl takes it: `90s`, `3m`, `1h30m`. */
export function durationMs(text: string): number {
  const parts = [...text.matchAll(/(\d{1,6})([hms])/g)];
  const ms = parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (units[unit] ?? 0), 0);
  if (parts.map(([part]) => part).join('') !== text || ms <= 0 || ms > maxDurationMs) {
    throw new InvalidArgumentError('must be a duration such as 90s, 3m or 1h30m, and at most 24h.');
  }
  return ms;
}
