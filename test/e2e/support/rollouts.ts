import { isReady } from '../../support/availability.ts';
import { made } from '../../support/cluster.ts';
import type { Body } from '../../support/kube-http.ts';
import type { WatchReader } from '../../support/watch-reader.ts';
import type { Named } from './objects.ts';
import type { Scene } from './scene.ts';
import { waitUntil } from './wait.ts';

/** StatefulSets and their rollouts. An image with the tag `broken` cannot be pulled, so its pods never become ready. */

export const images = {
  good: 'example.com/app:1',
  better: 'example.com/app:2',
  broken: 'example.com/app:broken',
  worse: 'example.com/does-not-exist:1',
} as const;

export const enforced = { type: 'EnforcedRollingUpdate' } as const;

export interface SetWish {
  readonly image?: string;
  readonly replicas?: number;
  readonly strategy?: object;
  readonly policy?: 'OrderedReady' | 'Parallel';
  readonly annotations?: Readonly<Record<string, string>>;
  readonly podAnnotations?: Readonly<Record<string, string>>;
  /** More of the spec, such as the first ordinal. */
  readonly spec?: object;
}

/** `web`, whose broken pods are replaced at once. */
export function set(wish: SetWish = {}): Named {
  const { image = images.good, replicas = 3, strategy = enforced, policy = 'OrderedReady' } = wish;
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'web', annotations: { 'holdfast.dev/rollout-settle-seconds': '0', ...wish.annotations } },
    spec: {
      replicas,
      serviceName: 'web',
      podManagementPolicy: policy,
      updateStrategy: strategy,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: {
          labels: { app: 'web' },
          ...(wish.podAnnotations === undefined ? {} : { annotations: wish.podAnnotations }),
        },
        spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image }] },
      },
      ...wish.spec,
    },
  };
}

/** Three pods that worked once, of which these do not any more. */
export async function brokenPods(scene: Scene, wish: SetWish, ...names: readonly string[]): Promise<void> {
  await scene.apply(set(wish));
  await waitShape(scene, all(3, wish.image ?? images.good));
  for (const name of names) await scene.setReady(name, false);
}

/** What the set says of its rollout, one after the other, until it says this. */
export async function statesUntil(watch: WatchReader, wanted: RegExp): Promise<readonly string[]> {
  const stateIn = (object: Body) => object.metadata.annotations?.['holdfast.dev/rollout-state'] ?? '';
  const events = await watch.until(({ object }) => wanted.test(stateIn(object)));
  return events.map(({ object }) => stateIn(object)).filter((state, index, states) => state !== states[index - 1]);
}

/** By kind of what they are about. */
export async function eventsOf(scene: Scene, reason: string): Promise<readonly string[]> {
  const { body } = await scene.cluster.request('GET', `/api/v1/namespaces/${scene.namespace}/events`);
  return body.items
    .filter((event) => event['reason'] === reason)
    .map((event) => `${(event['involvedObject'] as { kind: string }).kind}: ${event.message}`);
}

/** The container of a pod ends and is started again, and the pod is ready again. When it was started. */
export async function crash(scene: Scene, name: string): Promise<number> {
  if (scene.cluster.embedded) {
    await made(scene.change('Pod', name, { metadata: { annotations: { 'sim.holdfast.dev/crash': 'now' } } }));
  } else {
    const [first, ...others] = containersOf((await scene.pod(name)).body);
    const again = { ...first, restartCount: 1, state: { running: { startedAt: new Date().toISOString() } } };
    await made(scene.patchPod(name, { status: { containerStatuses: [again, ...others] } }, 'status'));
  }
  const restarted = await waitUntil(
    `${name} was restarted and is ready`,
    async () => (await scene.pod(name)).body,
    (pod) => isReady(pod) && containersOf(pod)[0]?.['restartCount'] === 1,
  );
  const state = containersOf(restarted)[0]?.['state'] as { readonly running?: { readonly startedAt: string } };
  return Date.parse(state.running?.startedAt ?? '');
}

function containersOf({ status }: Body): readonly Readonly<Record<string, unknown>>[] {
  return (status?.['containerStatuses'] ?? []) as readonly Readonly<Record<string, unknown>>[];
}

/** By name: what each pod runs, and `+` if it is ready, `-` if not. */
export async function shape(scene: Scene): Promise<Readonly<Record<string, string>>> {
  const pods = (await scene.pods()).filter((pod) => pod.metadata.deletionTimestamp === undefined);
  return Object.fromEntries(pods.map((pod) => [pod.metadata.name, `${isReady(pod) ? '+' : '-'}${imageOf(pod)}`]));
}

function imageOf(pod: Body): string {
  return (pod.spec['containers'] as readonly { readonly image: string }[])[0]?.image ?? '';
}

export async function waitShape(scene: Scene, wanted: Readonly<Record<string, string>>): Promise<void> {
  await waitUntil(
    `the pods are ${JSON.stringify(wanted)}`,
    () => shape(scene),
    (found) => JSON.stringify(Object.entries(found).sort()) === JSON.stringify(Object.entries(wanted).sort()),
    { withinMs: 60_000 },
  );
}

/** All pods, from 0, with this image and ready. */
export function all(count: number, image: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, ordinal) => [`web-${ordinal}`, `+${image}`]));
}

export async function stateOf(scene: Scene): Promise<string | undefined> {
  return (await scene.read('StatefulSet', 'web')).metadata.annotations?.['holdfast.dev/rollout-state'];
}

export function waitState(scene: Scene, wanted: RegExp): Promise<string | undefined> {
  return waitUntil(
    `the rollout says ${wanted}`,
    () => stateOf(scene),
    (state) => wanted.test(state ?? ''),
  );
}

/** Nothing more happens by itself: the pods are the same ones for a while. */
export async function staysAsItIs(scene: Scene, forMs = 2_000): Promise<void> {
  const uids = async () => (await scene.pods()).map((pod) => pod.metadata.uid).sort();
  const before = await uids();
  await new Promise((resolve) => setTimeout(resolve, forMs));
  const after = await uids();
  if (JSON.stringify(before) !== JSON.stringify(after)) throw new Error('pods came or went');
}
