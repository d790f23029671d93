import { Story } from './story.ts';
import { noStats, type StoryStats } from './told-operator.ts';

export type Outcome =
  | { readonly ok: true; readonly stats: StoryStats }
  | { readonly ok: false; readonly seed: number; readonly wrong: readonly string[]; readonly log: readonly string[] };

/** Tells the stories with the seeds from `first` on; stops at the first that ends badly. */
export async function runStories(first: number, count: number, progress: (done: number) => void = () => {}) {
  const total: StoryStats = { ...noStats };
  for (let seed = first; seed < first + count; seed += 1) {
    const story = new Story(seed);
    await story.run();
    const { wrong, stats } = story.operator;
    if (wrong.length > 0) return { ok: false, seed, wrong, log: story.cluster.log } satisfies Outcome;
    for (const key of Object.keys(total) as (keyof StoryStats)[]) total[key] += stats[key];
    if ((seed - first) % 1_000 === 999) progress(seed - first + 1);
  }
  return { ok: true, stats: total } satisfies Outcome;
}
