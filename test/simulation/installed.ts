import { generateKeyPairSync } from 'node:crypto';
import { adminUser } from '../../packages/embedded-cluster/src/auth/kubeconfig.ts';
import type { ControlPlane } from '../../packages/embedded-cluster/src/control-plane.ts';
import {
  type InProcessCluster,
  startInProcessCluster,
} from '../../packages/embedded-cluster/src/in-process-cluster.ts';
import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import { contentsOf, type StoreContents } from '../../packages/embedded-cluster/src/store/memory-store.ts';
import { untilIdle, VirtualClock } from '../../packages/embedded-cluster/src/time/virtual-clock.ts';
import { drive } from '../../packages/holdfast/src/cli/simulate/drive.ts';
import { prepareContent } from '../../packages/holdfast/src/cli/up/up-content.ts';
import { Random } from '../../packages/holdfast/test/core/ledger-model/random.ts';
import { openGates } from './helpers.ts';
import { namespace } from './objects.ts';
import type { Scenario } from './scenario.ts';
import { isReady } from './words.ts';

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

const installedAt = Date.UTC(2026, 0, 1);
/** For the pods of a scenario to start. */
const startMs = 30_000;
/** When the story of a schedule begins. */
export const startedAt = installedAt + startMs;
const nodes = 3;
/** For the controllers of an empty cluster to come to rest. */
const restMs = 60_000;

let installed: Promise<StoreContents> | undefined;
const running = new Map<string, Promise<StoreContents>>();

/** What runs in a cluster before a story begins. */
export type Running = Pick<Scenario, 'apps' | 'others'>;

/**
 * What a cluster holds in which Holdfast is installed, and in which these applications run. Many schedules begin with the same, so that a
 * process makes it once: these writes are more than half of those of a schedule. It depends on nothing that ran before.
 */
export function contentsWith({ apps, others }: Running): Promise<StoreContents> {
  installed ??= install();
  const key = JSON.stringify([others, apps.map(({ object }) => object)]);
  const known = running.get(key) ?? installed.then((contents) => run(contents, { apps, others }));
  running.set(key, known);
  return known;
}

function install(): Promise<StoreContents> {
  return held({
    beginsAt: installedAt - restMs,
    lastsMs: restMs,
    async prepare(plane) {
      await prepareContent(plane, { snapshot: [], nodes, operator: true });
    },
  });
}

function run(contents: StoreContents, { apps, others }: Running): Promise<StoreContents> {
  return held({
    beginsAt: installedAt,
    lastsMs: startMs,
    contents,
    async begin({ plane }, clock) {
      openGates(plane, clock);
      const admin = plane.clientFor(adminUser, 'simulation');
      await admin.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      for (const object of others) await admin.create(collectionOf(object.kind), object);
      for (const { object, kind } of apps) await admin.create(collectionOf(kind), object);
    },
    check({ plane }) {
      const pods = plane.view.list<KubeObject>('pods', namespace);
      const wanted = apps.reduce((sum, app) => sum + app.pods, 0);
      if (pods.length !== wanted || !pods.every(isReady)) throw new Error(`not ${wanted} pods that are ready`);
    },
  });
}

interface Holding {
  readonly beginsAt: number;
  readonly lastsMs: number;
  readonly contents?: StoreContents;
  readonly prepare?: (plane: ControlPlane) => Promise<void>;
  readonly begin?: (cluster: InProcessCluster, clock: VirtualClock) => Promise<void>;
  readonly check?: (cluster: InProcessCluster) => void;
}

/** What a cluster holds after a while. */
async function held({ beginsAt, lastsMs, contents, prepare, begin, check }: Holding): Promise<StoreContents> {
  const clock = new VirtualClock(beginsAt, untilIdle);
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
    ...(contents === undefined ? {} : { contents }),
    // The kinds that the contents define are served when their controller has looked at them.
    prepare: prepare ?? (() => clock.settled()),
    report: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  const end = new Promise<void>((resolve) => clock.after(lastsMs, resolve));
  await drive(clock, Promise.all([begin?.(cluster, clock), end]));
  check?.(cluster);
  const result = contentsOf(cluster.plane.registry.store);
  await cluster.close();
  return result;
}

export function collectionOf(kind: string): string {
  const collections: Readonly<Record<string, string>> = {
    StatefulSet: 'apps/statefulsets',
    Deployment: 'apps/deployments',
    LeaderWorkerSet: 'leaderworkerset.x-k8s.io/leaderworkersets',
    Workload: 'scheduling.k8s.io/workloads',
    PodDisruptionBudget: 'policy/poddisruptionbudgets',
    PodUnavailableBudget: 'policy.kruise.io/podunavailablebudgets',
  };
  return collections[kind] ?? kind;
}
