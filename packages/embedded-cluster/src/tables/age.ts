import type { KubeObject } from '../objects.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** How long ago that is: two or three digits, in the units that matter. Clocks may differ by almost two seconds. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / second);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  if (durationMs < 10 * minute) return inUnits(durationMs, minute, 'm', second, 's');
  if (durationMs < 3 * hour) return `${Math.trunc(durationMs / minute)}m`;
  if (durationMs < 8 * hour) return inUnits(durationMs, hour, 'h', minute, 'm');
  if (durationMs < 2 * day) return `${Math.trunc(durationMs / hour)}h`;
  if (durationMs < 8 * day) return inUnits(durationMs, day, 'd', hour, 'h');
  if (durationMs < 2 * year) return `${Math.trunc(durationMs / day)}d`;
  if (durationMs < 8 * year) return inUnits(durationMs, year, 'y', day, 'd');
  return `${Math.trunc(durationMs / year)}y`;
}

function inUnits(durationMs: number, unit: number, letter: string, part: number, partLetter: string): string {
  const parts = Math.trunc((durationMs % unit) / part);
  return `${Math.trunc(durationMs / unit)}${letter}${parts === 0 ? '' : `${parts}${partLetter}`}`;
}

/** Milliseconds since 1970, or undefined where there is no time. */
export function timeOf(timestamp: unknown): number | undefined {
  if (typeof timestamp !== 'string') return undefined;
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? undefined : time;
}

export function since(timestamp: unknown, nowMs: number): string {
  const time = timeOf(timestamp);
  return time === undefined ? '<unknown>' : humanDuration(nowMs - time);
}

export function ageOf({ metadata }: KubeObject, nowMs: number): string {
  return since(metadata.creationTimestamp, nowMs);
}
