import { isReady } from '../../support/availability.ts';
import { pause } from '../../support/cluster.ts';
import type { NodesScene } from './scene.ts';

export interface LoadAnswer {
  readonly code: number;
  readonly text: string;
}

export interface Load {
  /** What was answered so far. */
  readonly answers: readonly LoadAnswer[];
  /** Resolves with all answers when those under way have come. */
  stop(): Promise<readonly LoadAnswer[]>;
}

/** Evicts one pod after the other for as long as it runs, several at once, as drains do: whatever the answer is, the next one is asked for. */
export function evictInALoop(scene: NodesScene, selector: string, atOnce: number): Load {
  const answers: LoadAnswer[] = [];
  let running = true;
  const loops = Array.from({ length: atOnce }, async (_, loop) => {
    for (let turn = loop; running; turn += atOnce) {
      answers.push(await evictOne(scene, selector, turn));
      await pause(50);
    }
  });
  return {
    answers,
    async stop() {
      running = false;
      await Promise.all(loops);
      return answers;
    },
  };
}

/** An API server that is not there is an answer, too: code 0. */
async function evictOne(scene: NodesScene, selector: string, turn: number): Promise<LoadAnswer> {
  try {
    const pods = (await scene.pods(selector)).filter(isReady);
    const chosen = pods[turn % Math.max(1, pods.length)];
    if (chosen === undefined) return { code: 404, text: 'no pod is ready' };
    const { code, text } = await scene.evict(chosen.metadata.name);
    return { code, text };
  } catch (error) {
    return { code: 0, text: String(error) };
  }
}
