import { generateKeyPairSync } from 'node:crypto';
import { startInProcessCluster } from '../../packages/embedded-cluster/src/in-process-cluster.ts';
import { contentsOf, type StoreContents } from '../../packages/embedded-cluster/src/store/memory-store.ts';
import { untilIdle, VirtualClock } from '../../packages/embedded-cluster/src/time/virtual-clock.ts';
import { drive } from '../../packages/holdfast/src/cli/simulate/drive.ts';
import { prepareContent } from '../../packages/holdfast/src/cli/up/up-content.ts';
import { Random } from '../../packages/holdfast/test/core/ledger-model/random.ts';

/** No token is signed with it; making one takes longer than everything else that a schedule begins with. */
export const signingKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

export const pace = {
  heartbeats: false,
  lifecycleEvents: false,
  controllerEvents: false,
  startDelayMs: () => 2_000,
  stopDelayMs: 1_000,
  jobRunMs: Number.POSITIVE_INFINITY,
};

export const startedAt = Date.UTC(2026, 0, 1);
const nodes = 3;
/** For the controllers of an empty cluster to come to rest. */
const restMs = 60_000;

let known: Promise<StoreContents> | undefined;

/**
 * What a cluster holds in which Holdfast is installed and nothing runs yet. It is the same for every schedule, so that a process makes it
 * once: the writes of an installation are a third of those of a whole schedule.
 */
export function installedContents(): Promise<StoreContents> {
  known ??= install();
  return known;
}

async function install(): Promise<StoreContents> {
  const clock = new VirtualClock(startedAt - restMs, untilIdle);
  const random = new Random(0);
  const cluster = await startInProcessCluster({
    clock,
    random: { next: () => random.below(2 ** 32) / 2 ** 32 },
    tokens: new Map(),
    pace,
    connectWebhook: () => {
      throw new Error('there is no webhook yet');
    },
    signingKey,
    async prepare(plane) {
      await prepareContent(plane, { snapshot: [], nodes, operator: true });
    },
    report: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  await drive(clock, new Promise<void>((resolve) => clock.after(restMs, resolve)));
  const contents = contentsOf(cluster.plane.registry.store);
  await cluster.close();
  return contents;
}
