import { setTimeout } from 'node:timers/promises';
import type { Command, Footprint } from './product.ts';

/** As often as a collector of metrics looks. */
const lookEveryMs = 5_000;

export interface Watched {
  /** Of one core. */
  readonly share: number;
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly largestRss: number;
  readonly before: Footprint;
  readonly after: Footprint;
}

/** What a process takes in so many seconds. */
export async function watched(command: Command, seconds: number): Promise<Watched> {
  const before = await command.footprint();
  const begun = performance.now();
  let [after, largestRss] = [before, before.rss];
  while (performance.now() - begun < seconds * 1_000) {
    await setTimeout(Math.min(lookEveryMs, Math.max(0, begun + seconds * 1_000 - performance.now())));
    after = await command.footprint();
    largestRss = Math.max(largestRss, after.rss);
  }
  const took = (performance.now() - begun) / 1_000;
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  return { share: cpuSeconds / took, cpuSeconds, seconds: took, largestRss, before, after };
}

export async function until(what: string, patienceMs: number, isSo: () => Promise<boolean>): Promise<number> {
  const begun = performance.now();
  while (!(await isSo())) {
    if (performance.now() - begun > patienceMs) throw new Error(`it does not come to this: ${what}`);
    await setTimeout(100);
  }
  return (performance.now() - begun) / 1_000;
}
