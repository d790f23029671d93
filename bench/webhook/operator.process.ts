// The operator that is measured.
import { setTimeout } from 'node:timers/promises';
import type { Access } from '../../packages/holdfast/src/kube/config/access.ts';
import { realClock } from '../../packages/holdfast/src/kube/time/clock.ts';
import { systemRandom } from '../../packages/holdfast/src/kube/time/random.ts';
import { type RunningOperator, startOperator } from '../../packages/holdfast/src/operator/operator.ts';
import { createLogger } from '../../packages/holdfast/src/telemetry/log.ts';
import { answerWith, cpuSpent } from '../cluster/answering.ts';
import { freePort } from './free-port.ts';
import type { Endpoint, Ready, ToOperator, Usage } from './messages.ts';

const lookEveryMs = 20;

let running: RunningOperator | undefined;

answerWith<ToOperator>((message) => {
  switch (message.do) {
    case 'start':
      return start(message.api);
    case 'ready':
      return untilReady(message.patienceMs);
    case 'usage':
      return usage();
  }
});

async function start(api: Endpoint): Promise<object> {
  const port = await freePort();
  const host = '127.0.0.1';
  running = await startOperator(
    {
      namespace: 'holdfast-system',
      identity: `bench-${process.pid}`,
      takeover: 'on',
      webhook: { host, port, url: `https://${host}:${port}`, register: true },
      health: { host, port: 0 },
      budgetMetrics: true,
    },
    {
      access: accessTo(api),
      clock: realClock,
      random: systemRandom,
      log: createLogger({
        level: 'warn',
        format: 'text',
        write: (line) => process.stderr.write(line),
        now: () => realClock.now(),
      }),
    },
  );
  return {};
}

function accessTo({ port, ca }: Endpoint): Access {
  return {
    server: new URL(`https://127.0.0.1:${port}`),
    serverName: undefined,
    verify: true,
    ca: { kind: 'inline', text: ca },
    user: {
      certificate: undefined,
      key: undefined,
      token: { kind: 'inline', text: 'bench' },
      basic: undefined,
      exec: undefined,
      impersonate: undefined,
    },
    namespace: 'default',
  };
}

async function untilReady(patienceMs: number): Promise<Ready> {
  const end = performance.now() + patienceMs;
  const missing = () => running?.missing() ?? ['the operator'];
  while (missing().length > 0 && performance.now() < end) await setTimeout(lookEveryMs);
  return { ...usage(), missing: missing() };
}

function usage(): Usage {
  const { rss, heapUsed } = process.memoryUsage();
  return { ...cpuSpent(), rss, heapUsed, peakRss: process.resourceUsage().maxRSS * 1_024 };
}
