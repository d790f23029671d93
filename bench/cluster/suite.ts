import { markdownTable } from '../core/measure.ts';
import { seconds, whole } from './figures.ts';
import { fleet } from './fleet.ts';
import { type Part, Parts } from './parts.ts';
import { reading } from './reading.ts';
import { createSamples } from './sample-pods.ts';
import { type RunningServer, startServer } from './server.ts';
import { watching } from './watching.ts';

/** The embedded cluster: how fast it is there, how fast it answers, how much it carries, and what a pod costs. */
export async function clusterSuite(): Promise<string> {
  const parts = new Parts(new URL('.', import.meta.url), ['server', 'bare-server', 'load']);
  try {
    await parts.bundle();
    const sections = [
      ['Start', await starting(parts)],
      ['Reading', await withSamples(parts, (load, server) => reading(parts, load, server))],
      ['Watching', await withSamples(parts, watching)],
      ['Pods', await fleet(parts)],
    ] as const;
    return `${sections.map(([title, text]) => `## ${title}\n\n${text}`).join('\n\n')}\n`;
  } finally {
    parts.close();
  }
}

const starts = 5;

/** From the start of the process to the first moment at which it answers. */
async function starting(parts: Parts): Promise<string> {
  const times: number[] = [];
  for (let i = 0; i < starts; i += 1) {
    const begun = performance.now();
    const { process } = await startServer(parts, 'controllers');
    times.push(performance.now() - begun);
    await process.stop();
  }
  times.sort((left, right) => left - right);
  const row = [times[0], times[starts >> 1], times.at(-1)].map((ms) => seconds(ms ?? 0));
  return markdownTable(['starts', 'fastest', 'median', 'slowest', 'wanted'], [[whole(starts), ...row, '1.50 s']]);
}

async function withSamples(parts: Parts, run: (load: Part, server: RunningServer) => Promise<string>): Promise<string> {
  const server = await startServer(parts, 'api');
  const load = parts.start('load');
  await createSamples(load, server.access);
  const result = await run(load, server);
  await load.stop();
  await server.process.stop();
  return result;
}
