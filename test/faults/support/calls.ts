import type { ProtectedCluster } from '../../support/protected-cluster.ts';
import { eventually } from './eventually.ts';
import { evict, tally } from './shop.ts';

export interface Calls {
  /** Those under way have ended, and others have begun and ended. */
  more(): Promise<void>;
  /** How often each code came, and what was said with those that are not a success. */
  stop(): Promise<{ readonly codes: Record<number, number>; readonly problems: readonly string[] }>;
}

/** Asks for evictions all the time, several at once, as dry runs: so nothing changes, and every one of them is admitted. */
export function callInALoop(
  cluster: Pick<ProtectedCluster, 'request'>,
  namespace: string,
  pods: readonly string[],
): Calls {
  const answers: { readonly code: number; readonly text: string }[] = [];
  const counts = pods.map(() => 0);
  let calling = true;
  const loops = pods.map(async (pod, loop) => {
    while (calling) {
      answers.push(await evict(cluster, namespace, pod, { dryRun: true }));
      counts[loop] = (counts[loop] ?? 0) + 1;
    }
  });
  return {
    more() {
      const soFar = [...counts];
      return eventually(() => counts.every((count, loop) => count > (soFar[loop] ?? 0) + 2), 'calls are answered');
    },
    async stop() {
      calling = false;
      await Promise.all(loops);
      const problems = answers.filter(({ code }) => code >= 300).map(({ text }) => text);
      return { codes: tally(answers), problems: [...new Set(problems)] };
    },
  };
}
