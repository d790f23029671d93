// A child process: reads all pods, follows their changes, and says what it took.
import type { Pod } from '../../packages/holdfast/src/api/pod.ts';
import { KubeClient } from '../../packages/holdfast/src/kube/client/client.ts';
import { Interner } from '../../packages/holdfast/src/kube/projection/interner.ts';
import { projectPod } from '../../packages/holdfast/src/kube/projection/pod.ts';
import { ObjectCache } from '../../packages/holdfast/src/kube/reflector/cache.ts';
import { Reflector } from '../../packages/holdfast/src/kube/reflector/reflector.ts';
import { realClock, sleep } from '../../packages/holdfast/src/kube/time/clock.ts';
import { systemRandom } from '../../packages/holdfast/src/kube/time/random.ts';
import { Connection } from '../../packages/holdfast/src/kube/transport/connection.ts';
import { RateLimiter } from '../../packages/holdfast/src/kube/transport/rate-limit.ts';
import { heap } from '../core/measure.ts';

export interface Reading {
  readonly pods: number;
  readonly listSeconds: number;
  readonly listCpuSeconds: number;
  readonly rssBytes: number;
  readonly peakRssBytes: number;
  readonly heapPerPod: number;
  readonly eventsPerSecond: number;
  readonly cpuMicrosPerEvent: number;
}

const [url = '', ca = '', mode = '', events = ''] = process.argv.slice(2);
const clock = realClock;
const connection = new Connection(
  {
    server: new URL(url),
    serverName: undefined,
    verify: true,
    identity: () => Promise.resolve({ tls: { ca, certificate: undefined, key: undefined }, headers: {} }),
    forget: () => false,
  },
  { clock, userAgent: 'holdfast-bench' },
);
const limiter = new RateLimiter({ perSecond: 1_000, burst: 1_000, concurrent: 10, waiting: 10 }, clock);
const client = new KubeClient({ connection, clock, limiter });
const report = (problem: unknown) => console.error('unexpected:', problem);
const cache = new ObjectCache<Pod>({ indexes: { node: (pod) => [pod.spec?.nodeName ?? ''] }, report });
const projection = { interner: new Interner(), keepAnnotation: (key: string) => key.startsWith('holdfast.dev/') };

function reflector(): Reflector<Pod> {
  return new Reflector<Pod>({
    client,
    resource: { group: '', version: 'v1', plural: 'pods', namespaced: true },
    project: (object) => projectPod(object, projection),
    sink: cache,
    traits: { watchList: mode === 'watchList' },
    clock,
    random: systemRandom,
    report,
  });
}

function reached(version: string): Promise<void> {
  return new Promise((resolve) => {
    const leave = cache.listen({
      progress: (seen) => {
        if (seen !== version) return;
        queueMicrotask(() => leave());
        resolve();
      },
    });
  });
}

async function measure(): Promise<Reading> {
  const before = heap();
  const start = clock.monotonic();
  const idle = process.cpuUsage();
  const following = reflector();
  following.start();
  await reached('1000000');
  const listSeconds = (clock.monotonic() - start) / 1_000;
  const listCpuSeconds = micros(process.cpuUsage(idle)) / 1e6;
  const rssBytes = process.memoryUsage.rss();
  const peakRssBytes = process.resourceUsage().maxRSS * 1_024;
  const heapPerPod = (heap() - before) / cache.size;
  // After a list the watch is still to be opened.
  await sleep(clock, 500);
  const cpu = process.cpuUsage();
  const began = clock.monotonic();
  await Promise.all([
    reached(String(1_000_000 + Number(events))),
    connection.exchange({ method: 'POST', path: '/start', deadlineMs: 5_000 }),
  ]);
  const seconds = (clock.monotonic() - began) / 1_000;
  const used = micros(process.cpuUsage(cpu));
  await following.stop();
  connection.close();
  return {
    pods: cache.size,
    listSeconds,
    listCpuSeconds,
    rssBytes,
    peakRssBytes,
    heapPerPod,
    eventsPerSecond: Number(events) / seconds,
    cpuMicrosPerEvent: used / Number(events),
  };
}

function micros({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}

process.send?.(await measure());
process.disconnect();
