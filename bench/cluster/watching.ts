import { markdownTable } from '../core/measure.ts';
import { download } from './download.ts';
import { whole } from './figures.ts';
import type { Access, Cpu, ToLoad, ToServer, Watched } from './messages.ts';
import type { Part } from './parts.ts';
import { sampleCollection, samplePaths } from './sample-pods.ts';
import type { RunningServer } from './server.ts';

const watchers = 200;
const eventsPerSecond = 500;
const seconds = 10;

/** Many watchers of one collection while it changes: does each of them get everything. */
export async function watching(load: Part, { access, process }: RunningServer): Promise<string> {
  const before = await process.ask<Cpu>({ do: 'cpu' } satisfies ToServer);
  const result = await load.ask<Watched>({
    do: 'watch',
    access,
    path: `${sampleCollection}?watch=true&resourceVersion=${await revision(access)}`,
    watchers,
    eventsPerSecond,
    seconds,
    targets: samplePaths(),
  } satisfies ToLoad);
  const after = await process.ask<Cpu>({ do: 'cpu' } satisfies ToServer);
  const row = [
    whole(watchers),
    whole(result.written / result.seconds),
    whole(eventsPerSecond),
    whole(result.written),
    whole(result.written - result.fewest),
    whole(Math.max(0, result.most - result.written)),
    result.inOrder ? 'yes' : 'no',
    `${result.lagMs.toFixed(0)} ms`,
    `${whole((after.micros - before.micros) / result.written)} us`,
  ];
  const head = ['watchers', 'events/s', 'wanted', 'events to each', 'lost', 'twice', 'in order', 'last one after'];
  return markdownTable([...head, 'CPU for each event'], [row]);
}

async function revision(access: Access): Promise<string> {
  const [body] = (await download(access, [`${sampleCollection}?limit=1`])).values();
  return (JSON.parse(String(body)) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
}
