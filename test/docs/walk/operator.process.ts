import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { realClock } from '../../../packages/holdfast/src/kube/time/clock.ts';
import { systemRandom } from '../../../packages/holdfast/src/kube/time/random.ts';
import { startOperator } from '../../../packages/holdfast/src/operator/operator.ts';
import { createLogger } from '../../../packages/holdfast/src/telemetry/log.ts';
import type { FromOperator, StartMessage, ToOperator } from './messages.ts';

/** An operator alone in its process, so that every function of `src` that runs here runs for it. */

const profiler = new Session();

process.on('message', (message: ToOperator) => {
  if (message.kind === 'start') void start(message);
  else void count(message.kind);
});

async function start({ access, namespace }: StartMessage): Promise<void> {
  profiler.connect();
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const host = '127.0.0.1';
  const operator = await startOperator(
    {
      namespace,
      identity: 'walked',
      takeover: 'on',
      webhook: { host, port: 0, url: `https://${host}` },
      health: { host, port: 0 },
      budgetMetrics: false,
    },
    {
      access: { ...access, server: new URL(access.server) },
      clock: realClock,
      random: systemRandom,
      log: createLogger({ level: 'info', format: 'text', write: () => undefined, now: () => realClock.now() }),
    },
  );
  while (operator.missing().length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  send({ kind: 'ready', port: operator.webhookPort });
}

/** Each answer covers the time since the one before it: V8 sets its counters to zero when they are read. */
async function count(kind: 'reset' | 'take'): Promise<void> {
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  const ran = new Map<string, readonly string[]>();
  for (const { url, functions } of kind === 'take' ? result : []) {
    const names = functions
      .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
      .map((one) => one.functionName)
      .filter(isOwnName);
    if (names.length > 0 && url.startsWith('file:')) ran.set(fileURLToPath(url.replace(/\?.*$/, '')), names);
  }
  send({ kind: 'ran', files: [...ran] });
}

/** The loader of the sources adds a function of this name to most files. */
function isOwnName(name: string): boolean {
  return name !== '__name';
}

function send(message: FromOperator): void {
  process.send?.(message);
}
