import { markdownTable } from '../core/measure.ts';
import { download } from './download.ts';
import { kilobytes, percent, whole } from './figures.ts';
import type { Cpu, Hammered, ToBareServer, ToLoad, ToServer } from './messages.ts';
import type { Part, Parts } from './parts.ts';
import { sampleCollection, samplePaths, samplePods } from './sample-pods.ts';
import type { RunningServer } from './server.ts';

const secondsEach = 5;
const warmUpSeconds = 2;

const loads = [
  { what: 'GET of a pod', paths: samplePaths(), connections: 32, wanted: 8_000 },
  { what: `LIST of ${samplePods} pods`, paths: [sampleCollection], connections: 8, wanted: 300 },
];

interface Measured extends Hammered {
  readonly cpuMicros: number;
}

/** GET and LIST, and the same bytes from a server that does nothing else. */
export async function reading(parts: Parts, load: Part, server: RunningServer): Promise<string> {
  const { access, pki } = server;
  const bodies = await download(access, [...samplePaths(), sampleCollection]);
  const answers = Object.fromEntries([...bodies].map(([path, body]) => [path, body.toString('base64')]));
  const bare = parts.start('bare-server');
  const { port } = await bare.ask<{ port: number }>({ do: 'serve', pki, answers } satisfies ToBareServer);
  const rows: string[][] = [];
  for (const { what, paths, connections, wanted } of loads) {
    const order = { do: 'hammer', paths, connections, seconds: secondsEach } as const;
    const alone = await hammer(load, bare, { ...order, access: { ...access, port } });
    const ours = await hammer(load, server.process, { ...order, access });
    if (ours.failures + alone.failures > 0) throw new Error(`${what}: some answers were no successes`);
    rows.push([what, kilobytes(ours.bytes / ours.answers), whole(rateOf(ours)), whole(wanted), cpuEach(ours)]);
    rows.at(-1)?.push(whole(rateOf(alone)), cpuEach(alone), percent(rateOf(ours) / rateOf(alone)));
  }
  await bare.stop();
  const head = ['what', 'size', 'answers/s', 'wanted', 'CPU each'];
  return markdownTable([...head, 'bare node:https, same bytes: answers/s', 'CPU each', 'ratio'], rows);
}

async function hammer(load: Part, server: Part, order: Extract<ToLoad, { do: 'hammer' }>): Promise<Measured> {
  await load.ask({ ...order, seconds: warmUpSeconds } satisfies ToLoad);
  const before = await server.ask<Cpu>({ do: 'cpu' } satisfies ToServer);
  const result = await load.ask<Hammered>(order);
  const after = await server.ask<Cpu>({ do: 'cpu' } satisfies ToServer);
  return { ...result, cpuMicros: after.micros - before.micros };
}

function rateOf({ answers, seconds }: Hammered): number {
  return answers / seconds;
}

function cpuEach({ cpuMicros, answers }: Measured): string {
  return `${whole(cpuMicros / answers)} us`;
}
