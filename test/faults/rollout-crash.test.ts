import { afterAll, beforeAll, expect, it } from 'vitest';
import { all, images, set, waitShape } from '../e2e/support/rollouts.ts';
import { sceneIn } from '../e2e/support/scene.ts';
import type { ApiProxy, Asked } from '../support/api-proxy.ts';
import { isReady } from '../support/availability.ts';
import type { Body } from '../support/kube-http.ts';
import type { WatchReader } from '../support/watch-reader.ts';
import { type FaultBed, faultBed } from './support/bed.ts';
import { deletesPod, killAt } from './support/kill.ts';

let bed: FaultBed;
let proxy: ApiProxy;

beforeAll(async () => {
  bed = await faultBed();
  proxy = await bed.proxy();
}, 120_000);
afterAll(() => bed?.close());

type Step = readonly [string, (asked: Asked) => boolean, 'before' | 'after'];

const listsPods = ({ path }: Asked) => path.includes('/pods?') && path.includes('labelSelector=');
const isOfSet = (wanted: string) => (asked: Asked) =>
  asked.method === wanted && /\/statefulsets\/web(\?|$)/.test(asked.path);

const steps: readonly Step[] = [
  ['it lists the pods', listsPods, 'before'],
  ['it reads the set', isOfSet('GET'), 'before'],
  ['it removes a pod', deletesPod, 'before'],
  ['it removed a pod', deletesPod, 'after'],
  ['it shows the state', isOfSet('PATCH'), 'before'],
  ['it showed the state', isOfSet('PATCH'), 'after'],
];

/** A lease lasts for fifteen seconds, which nobody has to wait for here. */
const forgetLeader = () =>
  bed.cluster.request('DELETE', '/apis/coordination.k8s.io/v1/namespaces/holdfast-system/leases/holdfast-operator');

/** What must not happen, as it is seen from outside. */
function wrongIn(seen: readonly Body[]): string[] {
  const wrong: string[] = [];
  const going = new Map<string, Body>();
  const last = new Map<string, Body>();
  for (const pod of seen) {
    const { uid, name, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined && !going.has(uid)) {
      if (isReady(last.get(uid) ?? pod)) wrong.push(`${name} was removed while it was ready`);
      if (going.size > 0) wrong.push(`${name} was removed while another one was going`);
      going.set(uid, pod);
    }
    if (pod['gone'] === true) going.delete(uid);
    last.set(uid, pod);
  }
  return wrong;
}

function record(watch: WatchReader): Body[] {
  const seen: Body[] = [];
  void (async () => {
    for (let event = await watch.next(120_000); event !== undefined; event = await watch.next(120_000)) {
      seen.push(event.type === 'DELETED' ? { ...event.object, gone: true } : event.object);
    }
  })();
  return seen;
}

it('[R1] [R2] a repair goes on wherever the operator is killed, one pod at a time and never a ready one', async () => {
  let operator = await bed.process({ by: proxy });
  const scene = await sceneIn(bed.cluster);
  await scene.apply(set());
  await waitShape(scene, all(3, images.good));
  for (const name of ['web-0', 'web-1', 'web-2']) await scene.setReady(name, false);
  const watch = await bed.cluster.watch(`/api/v1/namespaces/${scene.namespace}/pods`);
  const seen = record(watch);
  await scene.apply(set({ image: images.better }));
  for (const [, wanted, when] of steps) {
    await killAt({ bed, proxy, process: operator }, wanted, when);
    await forgetLeader();
    operator = await bed.process({ by: proxy });
  }
  await waitShape(scene, all(3, images.better));
  expect(wrongIn(seen)).toEqual([]);
  expect(new Set(seen.map((pod) => pod.metadata.uid)).size).toBe(6);
  watch.close();
});
