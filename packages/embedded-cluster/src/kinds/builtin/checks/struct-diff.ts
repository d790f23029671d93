/** Which fields differ, one line for each, as refusals of updates show them. */

import { isObject, isUnset, sameJson } from '@holdfast/base/json';

/** A refusal shows enough to find the mistake, not everything. */
const maxLines = 40;
const maxDepth = 16;

export function structDiff(before: unknown, now: unknown): string {
  const lines: string[] = [];
  collect(before, now, '', lines, maxDepth);
  return lines.slice(0, maxLines).join('\n');
}

function collect(before: unknown, now: unknown, path: string, lines: string[], depth: number): void {
  if (lines.length >= maxLines || sameJson(before, now)) return;
  if (depth > 0 && isObject(before) && isObject(now)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
      collect(before[key], now[key], path === '' ? key : `${path}.${key}`, lines, depth - 1);
    }
    return;
  }
  if (depth > 0 && Array.isArray(before) && Array.isArray(now) && before.length === now.length) {
    for (const [index, item] of before.entries()) collect(item, now[index], `${path}[${index}]`, lines, depth - 1);
    return;
  }
  if (!isUnset(before)) lines.push(`- ${path}: ${JSON.stringify(before)}`);
  if (!isUnset(now)) lines.push(`+ ${path}: ${JSON.stringify(now)}`);
}
