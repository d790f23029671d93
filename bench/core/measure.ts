/** Runs something many times and reads percentiles, in microseconds. */
export interface Timing {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export function time(count: number, run: (i: number) => void): Timing {
  for (let i = 0; i < Math.min(count, 2_000); i += 1) run(i);
  const samples = new Float64Array(count);
  for (let i = 0; i < count; i += 1) {
    const start = process.hrtime.bigint();
    run(i);
    samples[i] = Number(process.hrtime.bigint() - start) / 1_000;
  }
  samples.sort();
  const at = (share: number): number => samples[Math.min(count - 1, Math.floor(share * count))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
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
