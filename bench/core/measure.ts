export interface Timing {
  readonly p50: number;
  readonly p99: number;
}

/** Percentiles of what `sample` measures, after a warm-up. */
export function percentiles(count: number, sample: (i: number) => number): Timing {
  for (let i = 0; i < 2_000; i += 1) sample(i);
  const samples = Float64Array.from({ length: count }, (_, i) => sample(i)).sort();
  const at = (share: number): number => samples[Math.floor(share * (count - 1))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Operations a second. */
export function rate(count: number, run: (i: number) => void): number {
  const start = process.hrtime.bigint();
  for (let i = 0; i < count; i += 1) run(i);
  return (count * 1e9) / Number(process.hrtime.bigint() - start);
}

/** Bytes of heap in use after everything that can go has gone. Needs --expose-gc. */
export function heap(): number {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('run node with --expose-gc');
  for (let i = 0; i < 4; i += 1) gc();
  return process.memoryUsage().heapUsed;
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
