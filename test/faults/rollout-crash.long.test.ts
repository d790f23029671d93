import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { all, images, set, waitShape, waitState } from '../e2e/support/rollouts.ts';
import { type Scene, sceneIn } from '../e2e/support/scene.ts';
import type { ApiProxy, Asked } from '../support/api-proxy.ts';
import { pass } from '../support/api-proxy.ts';
import { isReady } from '../support/availability.ts';
import { made } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';
import type { WatchReader } from '../support/watch-reader.ts';
import { type FaultBed, faultBed, type StartedProcess } from './support/bed.ts';
import { killAt } from './support/kill.ts';

let bed: FaultBed;
let proxy: ApiProxy;
let operator: StartedProcess;

beforeAll(async () => {
  bed = await faultBed();
  proxy = await bed.proxy();
  operator = await bed.process({ by: proxy });
}, 120_000);
afterAll(() => bed?.close());

/** What an operator asks for while it repairs a set, each by a name. */
const calls: Readonly<Record<string, (asked: Asked) => boolean>> = {
  'list the pods': ({ method, path }) => method === 'GET' && path.includes('/pods?'),
  'read the set': ({ method, path }) => method === 'GET' && path.includes('/statefulsets/web'),
  'read a claim': ({ method, path }) => method === 'GET' && path.includes('/persistentvolumeclaims/'),
  'remove a pod': ({ method, path }) => method === 'DELETE' && path.includes('/pods/'),
  'show the state': ({ method, path }) => method === 'PATCH' && path.includes('/statefulsets/web'),
  'tell of it': ({ path }) => path.includes('/events'),
};

const isIn =
  ({ namespace }: Scene) =>
  ({ path, isWatch }: Asked) =>
    path.includes(`/namespaces/${namespace}/`) && !isWatch;

/** A lease lasts for fifteen seconds, which the test need not wait for. */
const forgetLeader = () =>
  bed.cluster.request('DELETE', '/apis/coordination.k8s.io/v1/namespaces/holdfast-system/leases/holdfast-operator');

const data = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const spec = { volumeClaimTemplates: [data] };

/** Three pods, of which these are broken. */
async function scene(...broken: readonly string[]): Promise<Scene> {
  const one = await sceneIn(bed.cluster);
  await one.apply(set({ spec }));
  await waitShape(one, all(3, images.good));
  for (const name of broken) await one.setReady(name, false);
  await waitState(one, /^blocked by web-0/);
  return one;
}

interface Repair {
  readonly broken: readonly string[];
  begin(scene: Scene): Promise<void>;
  end(scene: Scene): Promise<void>;
  /** How many pods there are from the first to the last. */
  readonly pods: number;
  /** Whether claims matter: those of a pod that is to go are its owner's business. */
  readonly claims: boolean;
}

/** By a patch that no operator is asked about: it may be dead already. */
async function change(one: Scene, changed: object): Promise<void> {
  await made(one.change('StatefulSet', 'web', { spec: changed }));
}

const repairs: Readonly<Record<string, Repair>> = {
  'the repair of three broken pods': {
    broken: ['web-0', 'web-1', 'web-2'],
    begin: (one) => change(one, { template: { spec: { containers: [{ name: 'main', image: images.better }] } } }),
    end: (one) => waitShape(one, all(3, images.better)),
    pods: 6,
    claims: true,
  },
  'a scale-down behind a broken pod': {
    broken: ['web-0'],
    begin: (one) => change(one, { replicas: 1 }),
    end: async (one) => {
      await waitShape(one, { 'web-0': `-${images.good}` });
      await waitState(one, /^blocked by web-0: not ready on the update revision [^;]*; fix the pod[^;]*$/);
    },
    pods: 3,
    claims: false,
  },
};

/** What must not happen, as it is seen from outside. */
function wrongIn(seen: readonly Body[], replicas: readonly string[]): string[] {
  const wrong: string[] = [];
  const going = new Map<string, Body>();
  const last = new Map<string, Body>();
  for (const pod of seen) {
    const { uid, name, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined && !going.has(uid) && last.get(uid)?.['gone'] !== true) {
      const wasReady = isReady(last.get(uid) ?? pod);
      if (replicas.includes(name) && wasReady) wrong.push(`${name} was removed while it was ready`);
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

/** @param meanwhile what happens to the operator while the repair is under way */
async function repaired(repair: Repair, meanwhile: (one: Scene) => Promise<void> | void): Promise<void> {
  const one = await scene(...repair.broken);
  const watch = await bed.cluster.watch(`/api/v1/namespaces/${one.namespace}/pods`);
  const seen = record(watch);
  await repair.begin(one);
  await meanwhile(one);
  await repair.end(one);
  expect(wrongIn(seen, repair.broken)).toEqual([]);
  expect(new Set(seen.map((pod) => pod.metadata.uid)).size).toBe(repair.pods);
  watch.close();
}

for (const [name, repair] of Object.entries(repairs)) {
  describe(name, () => {
    const has = (call: string) => repair.claims || call !== 'read a claim';

    it('asks for nothing at which the operator is not killed below', async () => {
      const asked = new Set<string>();
      await repaired(repair, (one) => {
        proxy.fate = (request) => {
          const call = Object.entries(calls).find(([, isCall]) => isCall(request))?.[0];
          if (isIn(one)(request)) asked.add(call ?? `${request.method} ${request.path}`);
          return pass;
        };
      });
      proxy.fate = () => pass;
      expect([...asked].sort()).toEqual(Object.keys(calls).filter(has).sort());
    });

    for (const [call, isCall] of Object.entries(calls)) {
      if (!has(call)) continue;
      it.each(['before', 'after'] as const)(
        `[R1] [R2] goes on when the operator is killed %s it asks to ${call}`,
        async (when) => {
          await repaired(repair, async (one) => {
            await killAt({ bed, proxy, process: operator }, (asked) => isIn(one)(asked) && isCall(asked), when);
            await forgetLeader();
            operator = await bed.process({ by: proxy });
          });
        },
      );
    }
  });
}
