import { pause } from '../../support/cluster.ts';

/** So long that only what never comes is missed. */
const patienceMs = 45_000;

export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
  why: () => string = () => '',
): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`it does not come to this: ${what}\n${why()}`);
    await pause(20);
  }
}
