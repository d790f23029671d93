/** Sets of completion indexes, written as `0-2,5`. */

export function parseIndexes(text: string | undefined, completions: number): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? '').split(',')) {
    const [, first, last] = /^([0-9]{1,10})(?:-([0-9]{1,10}))?$/.exec(part) ?? [];
    if (first === undefined) continue;
    const end = Math.min(Number(last ?? first), completions - 1);
    for (let index = Number(first); index <= end; index += 1) indexes.add(index);
  }
  return indexes;
}

/** A run of three or more becomes a range. */
export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...indexes].sort((left, right) => left - right);
  const parts: string[] = [];
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1;
    const [first, last] = [sorted[start], sorted[end]];
    if (end === start) parts.push(`${first}`);
    else if (end === start + 1) parts.push(`${first},${last}`);
    else parts.push(`${first}-${last}`);
    start = end + 1;
  }
  return parts.join(',');
}

/** The lowest indexes that are not taken. */
export function firstFree(taken: ReadonlySet<number>, completions: number, count: number): readonly number[] {
  const free: number[] = [];
  for (let index = 0; index < completions && free.length < count; index += 1) if (!taken.has(index)) free.push(index);
  return free;
}
