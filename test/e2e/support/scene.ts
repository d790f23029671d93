import { randomUUID } from 'node:crypto';
import { label } from '../../../packages/holdfast/src/api/names.ts';
import { isReady } from '../../support/availability.ts';
import { made } from '../../support/cluster.ts';
import type { Answer, Body, RequestOptions } from '../../support/kube-http.ts';
import type { ProtectedCluster } from '../../support/protected-cluster.ts';
import { persistently } from './asking.ts';
import type { Named } from './objects.ts';
import { seenByAll } from './seen.ts';
import { waitUntil } from './wait.ts';

export const contentTypes = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** A namespace of a test's own, and what people do in it. */
export interface Scene {
  readonly namespace: string;
  readonly cluster: ProtectedCluster;
  /** Server-side apply, which must succeed. */
  apply(...objects: readonly Named[]): Promise<void>;
  /** @param query more of it, each with `&` before it */
  tryApply(object: Named, query?: string): Promise<Answer>;
  read(kind: Kind, name: string): Promise<Body>;
  change(kind: Kind, name: string, body: object): Promise<Answer>;
  pods(selector?: string): Promise<readonly Body[]>;
  pod(name: string): Promise<Answer>;
  /** Creates pods and waits until they are ready. */
  addPods(...pods: readonly Named[]): Promise<void>;
  /** Waits for this many ready pods, none of them going. */
  waitReady(count: number, selector?: string): Promise<readonly Body[]>;
  evict(pod: string, more?: object, query?: string): Promise<Answer>;
  remove(pod: string, options?: RequestOptions, query?: string): Promise<Answer>;
  patchPod(pod: string, body: object, subresource?: string): Promise<Answer>;
  setReady(pod: string, ready: boolean): Promise<void>;
  /** The first container of a pod ends, and is started again. */
  restart(pod: string): Promise<void>;
  /** A PodUnavailableBudget that says that it is enforced, or a PodDisruptionBudget that says how it stands. */
  waitEnforced(budget: Named): Promise<Body>;
  /** Requests about its pods come to us, also where there is no budget that could say so. */
  waitGuarded(): Promise<void>;
  reservations(): Promise<readonly Reservation[]>;
}

export interface Reservation {
  readonly pod: string;
  readonly uid: string;
  readonly operation: string;
}

/** Where objects of a kind are. */
const places = {
  Pod: ['/api/v1', 'pods'],
  Deployment: ['/apis/apps/v1', 'deployments'],
  StatefulSet: ['/apis/apps/v1', 'statefulsets'],
  PodDisruptionBudget: ['/apis/policy/v1', 'poddisruptionbudgets'],
  PodUnavailableBudget: ['/apis/policy.kruise.io/v1alpha1', 'podunavailablebudgets'],
  DisruptionLedger: ['/apis/holdfast.dev/v1alpha1', 'disruptionledgers'],
  LeaderWorkerSet: ['/apis/leaderworkerset.x-k8s.io/v1', 'leaderworkersets'],
  JobSet: ['/apis/jobset.x-k8s.io/v1alpha2', 'jobsets'],
  PodGroup: ['/apis/scheduling.k8s.io/v1beta1', 'podgroups'],
  Workload: ['/apis/scheduling.k8s.io/v1alpha1', 'workloads'],
  Event: ['/api/v1', 'events'],
  Farm: ['/apis/e2e.holdfast.dev/v1', 'farms'],
} as const satisfies Readonly<Record<string, readonly [string, string]>>;

export type Kind = keyof typeof places;

export function pathOf(namespace: string, kind: Kind): string {
  const [root, resource] = places[kind];
  return `${root}/namespaces/${namespace}/${resource}`;
}

/** The path of an object's own version, which may not be the one that is read. */
function applyPath(namespace: string, { apiVersion, kind, metadata }: Named): string {
  const [, resource] = places[kind as Kind];
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}/namespaces/${namespace}/${resource}/${metadata.name}`;
}

export async function sceneIn(cluster: ProtectedCluster): Promise<Scene> {
  const namespace = await cluster.newNamespace();
  const path = (kind: Kind, name: string) => `${pathOf(namespace, kind)}/${name}`;
  const podsPath = pathOf(namespace, 'Pod');
  const merge = { contentType: contentTypes.merge };
  const scene: Scene = {
    namespace,
    cluster,
    async apply(...objects) {
      for (const object of objects) await made(scene.tryApply(object));
    },
    tryApply: (object, query = '') =>
      persistently(() =>
        cluster.request('PATCH', `${applyPath(namespace, object)}?fieldManager=e2e&force=true${query}`, {
          contentType: contentTypes.apply,
          body: object,
        }),
      ),
    read: (kind, name) => made(cluster.request('GET', path(kind, name))),
    change: (kind, name, body) => persistently(() => cluster.request('PATCH', path(kind, name), { ...merge, body })),
    async pods(selector) {
      const query = selector === undefined ? '' : `?labelSelector=${encodeURIComponent(selector)}`;
      return (await made(cluster.request('GET', `${podsPath}${query}`))).items;
    },
    pod: (name) => cluster.request('GET', `${podsPath}/${name}`),
    async addPods(...pods) {
      await Promise.all(pods.map((one) => made(cluster.request('POST', podsPath, { body: one }))));
      for (const { metadata } of pods) await waitReadyPod(scene, metadata.name, true);
    },
    async waitReady(count, selector) {
      const ready = await waitUntil(
        `${count} pods ${selector ?? ''} are ready`,
        async () => (await scene.pods(selector)).filter((one) => one.metadata.deletionTimestamp === undefined),
        (pods) => pods.length === count && pods.every(isReady),
      );
      await seenByAll(cluster, 'pods', ready);
      return ready;
    },
    evict: (pod, more = {}, query = '') =>
      persistently(() =>
        cluster.request('POST', `${podsPath}/${pod}/eviction${query}`, {
          body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace }, ...more },
        }),
      ),
    remove: (pod, options = {}, query = '') =>
      persistently(() => cluster.request('DELETE', `${podsPath}/${pod}${query}`, options)),
    patchPod: (pod, body, subresource) =>
      persistently(() =>
        cluster.request('PATCH', `${podsPath}/${pod}${subresource === undefined ? '' : `/${subresource}`}`, {
          contentType: contentTypes.strategic,
          body,
        }),
      ),
    async setReady(pod, ready) {
      await (cluster.embedded ? steer(scene, pod, ready) : writeStatus(scene, pod, ready));
      await waitReadyPod(scene, pod, ready);
    },
    restart: (pod) => (cluster.embedded ? crash(scene, pod) : writeRestart(scene, pod)),
    waitEnforced: (budget) => waitEnforced(scene, budget),
    async waitGuarded() {
      await waitUntil(
        `namespace ${namespace} is guarded`,
        () => made(cluster.request('GET', `/api/v1/namespaces/${namespace}`)),
        ({ metadata }) => metadata.labels?.[label.guard] === 'enabled',
      );
    },
    async reservations() {
      const { code, body } = await cluster.request('GET', path('DisruptionLedger', 'default'));
      return code === 404 ? [] : ((body.spec?.['reservations'] ?? []) as readonly Reservation[]);
    },
  };
  return scene;
}

/** The embedded cluster's kubelets would write over a status of ours; they are told instead. */
async function steer(scene: Scene, pod: string, ready: boolean): Promise<void> {
  const annotations = { 'sim.holdfast.dev/ready': ready ? null : 'false' };
  await made(scene.change('Pod', pod, { metadata: { annotations } }));
}

async function writeStatus(scene: Scene, pod: string, ready: boolean): Promise<void> {
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  await made(scene.patchPod(pod, { status: { conditions } }, 'status'));
}

async function crash(scene: Scene, pod: string): Promise<void> {
  const annotations = { 'sim.holdfast.dev/crash': 'now' };
  await made(scene.change('Pod', pod, { metadata: { annotations } }));
}

/** As a kubelet would say it. */
async function writeRestart(scene: Scene, pod: string): Promise<void> {
  const { status } = (await scene.pod(pod)).body;
  const [first, ...others] = status['containerStatuses'] as readonly (object & { readonly restartCount: number })[];
  const again = {
    ...first,
    restartCount: (first?.restartCount ?? 0) + 1,
    containerID: `e2e://${randomUUID()}`,
    state: { running: { startedAt: new Date().toISOString() } },
  };
  const body = { status: { containerStatuses: [again, ...others] } };
  await made(scene.patchPod(pod, body, 'status'));
}

async function waitReadyPod(scene: Scene, pod: string, ready: boolean): Promise<void> {
  const found = await waitUntil(
    `pod ${pod} is ${ready ? '' : 'not '}ready`,
    async () => (await scene.pod(pod)).body,
    (body) => body.metadata !== undefined && isReady(body) === ready,
  );
  await seenByAll(scene.cluster, 'pods', [found]);
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export function conditionOf(object: Body, type: string): Condition | undefined {
  const conditions = (object.status?.['conditions'] ?? []) as readonly Condition[];
  return conditions.find((one) => one.type === type);
}

async function waitEnforced(scene: Scene, { kind, metadata }: Named): Promise<Body> {
  const isPub = kind === 'PodUnavailableBudget';
  const type = isPub ? 'Enforced' : 'holdfast.dev/GroupBudget';
  const enforced = await waitUntil(
    `${kind} ${metadata.name} is enforced`,
    () => scene.read(kind as Kind, metadata.name),
    (budget) => {
      if (isPub && budget.status?.['observedGeneration'] !== budget.metadata.generation) return false;
      const status = conditionOf(budget, type)?.status;
      return isPub ? status === 'True' : status === 'True' || status === 'False';
    },
  );
  await seenByAll(scene.cluster, isPub ? 'pubs' : 'pdbs', [enforced]);
  return enforced;
}
