import type { Paint } from '../output/paint.ts';

/** A heading and what belongs to it, indented. */
export function section(heading: string, lines: readonly string[], paint: Paint): string {
  return [paint('strong', heading), ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Names and values below each other. */
export function fields(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}   ${value}`);
}

/** The first of them, and how many more there are. */
export function firstOf(lines: readonly string[], max: number): readonly string[] {
  return lines.length <= max ? lines : [...lines.slice(0, max), `... and ${lines.length - max} more`];
}
