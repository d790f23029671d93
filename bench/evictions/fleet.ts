import { setTimeout as pause } from 'node:timers/promises';
import { isReady } from '../../test/support/availability.ts';
import { made } from '../../test/support/cluster.ts';
import type { Request } from '../cluster/messages.ts';
import type { Part } from '../cluster/parts.ts';
import type { Plane } from './bed.ts';
import type { ToLoad } from './messages.ts';

/** Who protects the pods of a namespace. */
export type Shape = 'none' | 'builtin' | 'groups' | 'pub';

/** Pods of one namespace under one budget that would let all but the last unit go. */
export interface Fleet {
  readonly shape: Shape;
  readonly size: number;
  readonly namespace: string;
}

/** The one that OpenKruise serves, too. */
const pubVersion = 'policy.kruise.io/v1alpha1';
const groupSize = 4;
/** All of them go, but for the last group: a budget that needs nothing would not be asked. */
const spare = groupSize;
const labels = { app: 'bench' };
const selector = { matchLabels: labels };
const nodes = 6;
const creators = 8;
const settleMs = 120_000;

export function fleetOf(shape: Shape, size: number): Fleet {
  return { shape, size, namespace: `bench-${shape}-${size}` };
}

/** At most so many pods, spread over the groups as the pods of a node are. */
export function targetsOf({ size }: Fleet, count: number): readonly string[] {
  const free = size;
  // A stride that shares no factor with the number of pods meets each of them once.
  let stride = 7;
  while (gcd(stride, free) !== 1) stride += 1;
  return Array.from({ length: Math.min(count, free) }, (_, i) => podName((i * stride) % free));
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

function podName(index: number): string {
  return `pod-${index}`;
}

export function evictionOf({ namespace }: Fleet, name: string): Request {
  const body = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } });
  return { method: 'POST', path: `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, body };
}

export function deletionOf({ namespace }: Fleet, name: string, query = ''): Request {
  return { method: 'DELETE', path: `/api/v1/namespaces/${namespace}/pods/${name}${query}` };
}

/** The namespace, its budget and its groups; the pods come with `refill`. */
export async function found({ http }: Plane, fleet: Fleet): Promise<void> {
  const { namespace } = fleet;
  const post = (path: string, body: object) => made(http.request('POST', path, { body }));
  await post('/api/v1/namespaces', { metadata: { name: namespace } });
  await untilTrue('the service account is there', async () => {
    const { code } = await http.request('GET', `/api/v1/namespaces/${namespace}/serviceaccounts/default`);
    return code === 200;
  });
  if (fleet.shape === 'groups') {
    for (let group = 0; group * groupSize < fleet.size + spare; group += 1) {
      const spec = { schedulingPolicy: { gang: { minCount: groupSize } } };
      const path = `/apis/scheduling.k8s.io/v1beta1/namespaces/${namespace}/podgroups`;
      await post(path, { metadata: { name: `group-${group}` }, spec });
    }
  }
  const spec = { minAvailable: 1, selector };
  if (fleet.shape === 'pub') {
    const kind = 'PodUnavailableBudget';
    const path = `/apis/${pubVersion}/namespaces/${namespace}/podunavailablebudgets`;
    await post(path, { apiVersion: pubVersion, kind, metadata: { name: 'bench' }, spec });
  } else if (fleet.shape !== 'none') {
    await post(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, { metadata: { name: 'bench' }, spec });
  }
}

function podOf({ shape, namespace }: Fleet, index: number): Request {
  const group = { schedulingGroup: { podGroupName: `group-${Math.floor(index / groupSize)}` } };
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    // They stop long after the measurement: kubelets and their deletes take no part in it.
    metadata: { name: podName(index), labels, annotations: { 'sim.holdfast.dev/stop-delay': '1h' } },
    spec: {
      nodeName: `node-${1 + (index % nodes)}`,
      containers: [{ name: 'main', image: 'example.com/bench:1' }],
      ...(shape === 'groups' ? group : {}),
    },
  };
  return { method: 'POST', path: `/api/v1/namespaces/${namespace}/pods`, body: JSON.stringify(body) };
}

/** Every pod is there, ready, and counted by its budget. */
export async function refill(bed: Plane, load: Part, fleet: Fleet): Promise<void> {
  const { size, namespace } = fleet;
  const pods = await podsIn(bed, namespace);
  const { access } = bed;
  const going = pods
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    .map(({ metadata }) => metadata.name);
  const ends = going.map((name) => deletionOf(fleet, name, '?gracePeriodSeconds=0'));
  await load.ask({ do: 'send', access, requests: ends, connections: creators } satisfies ToLoad);
  const left = new Set((await podsIn(bed, namespace)).map(({ metadata }) => metadata.name));
  const missing = Array.from({ length: size + spare }, (_, i) => i).filter((i) => !left.has(podName(i)));
  const births = missing.map((index) => podOf(fleet, index));
  await load.ask({ do: 'send', access, requests: births, connections: creators } satisfies ToLoad);
  await untilTrue(`the pods of ${namespace} are ready`, async () => (await podsIn(bed, namespace)).every(isReady));
}

async function podsIn({ http }: Plane, namespace: string) {
  return (await made(http.request('GET', `/api/v1/namespaces/${namespace}/pods`))).items;
}

interface Counted {
  readonly currentHealthy?: number;
  readonly disruptedPods?: object;
  readonly currentAvailable?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
}

/** The budget's status is that of all its pods, and nothing is on its way out any more. */
export async function untilCounted({ http }: Plane, { shape, size, namespace }: Fleet): Promise<void> {
  if (shape === 'none') return;
  const path =
    shape === 'pub'
      ? `/apis/${pubVersion}/namespaces/${namespace}/podunavailablebudgets/bench`
      : `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/bench`;
  const units = size + spare;
  await untilTrue(`the budget of ${namespace} counts its pods`, async () => {
    const status = (await made(http.request('GET', path))).status as Counted | undefined;
    if (Object.keys(status?.disruptedPods ?? {}).length > 0) return false;
    if (shape === 'pub') return status?.currentAvailable === units;
    if (status?.currentHealthy !== units) return false;
    if (shape === 'builtin') return true;
    const standing = status.conditions?.find(({ type }) => type === 'holdfast.dev/GroupBudget');
    return standing?.message?.startsWith(`${units / groupSize} groups available`) === true;
  });
}

async function untilTrue(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + settleMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`${what}: not within ${settleMs / 1_000} s`);
    await pause(200);
  }
}
