import { type ChildProcess, fork } from 'node:child_process';
import { markdownTable } from '../core/measure.ts';
import type { Reading } from './reader.process.ts';

const pods = 50_000;
const events = 100_000;

interface Serving {
  readonly url: string;
  readonly ca: string;
  readonly bytes: number;
}

const variants = [
  { name: 'pages of 500, HTTP', mode: 'list', wire: 'plain' },
  { name: 'state as a watch, HTTP', mode: 'watchList', wire: 'plain' },
  { name: 'pages of 500, HTTPS', mode: 'list', wire: 'tls' },
  { name: 'state as a watch, HTTPS', mode: 'watchList', wire: 'tls' },
] as const;

/** The client against a server that sends as fast as it can: how long to read a big cluster, what it takes, how fast it follows. */
export async function clientSuite(): Promise<string> {
  const rows: string[][] = [];
  let bytes = 0;
  for (const { name, mode, wire } of variants) {
    const server = child('server.process.ts', [String(pods), String(events), wire]);
    const serving = await message<Serving>(server);
    bytes = serving.bytes;
    const reading = await message<Reading>(child('reader.process.ts', [serving.url, serving.ca, mode, String(events)]));
    server.kill();
    rows.push([name, ...cells(reading)]);
  }
  const head = ['how', 'listed', 'CPU', 'RSS', 'peak', 'heap per pod', 'watch', 'CPU per event', 'a free core'];
  const what = `${pods.toLocaleString('en')} pods of ${(bytes / pods / 1_000).toFixed(1)} KB, projected to the fields we use, with an index by node; then ${events.toLocaleString('en')} changes. Server and client share the machine, with whatever else runs there; what a free core would follow is from the CPU time.`;
  return `${what}\n\n${markdownTable(head, rows)}\n`;
}

function cells(reading: Reading): string[] {
  const gb = (value: number): string => `${(value / 1e9).toFixed(2)} GB`;
  return [
    `${reading.listSeconds.toFixed(1)} s`,
    `${reading.listCpuSeconds.toFixed(1)} s`,
    gb(reading.rssBytes),
    gb(reading.peakRssBytes),
    `${(reading.heapPerPod / 1_000).toFixed(2)} KB`,
    `${count(reading.eventsPerSecond)} events/s`,
    `${reading.cpuMicrosPerEvent.toFixed(0)} µs`,
    `${count(1e6 / reading.cpuMicrosPerEvent)} events/s`,
  ];
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function child(file: string, args: readonly string[]): ChildProcess {
  const execArgv = ['--expose-gc', '--import', 'tsx'];
  return fork(new URL(file, import.meta.url), args, { execArgv });
}

function message<T>(process: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    process.once('message', (said) => resolve(said as T));
    process.once('exit', (code) => reject(new Error(`a process ended with ${code} and said nothing`)));
  });
}
