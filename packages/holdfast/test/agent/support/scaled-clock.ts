import type { Clock } from '../../../src/kube/time/clock.ts';
import { realClock } from '../../../src/kube/time/clock.ts';

/** Real time, only faster: a period of a second passes in a fraction of one. */
export function scaledClock(speed: number): Clock {
  const start = realClock.now();
  const origin = realClock.monotonic();
  const passed = () => (realClock.monotonic() - origin) * speed;
  return {
    now: () => start + passed(),
    monotonic: passed,
    after: (delayMs, callback) => realClock.after(delayMs / speed, callback),
  };
}
