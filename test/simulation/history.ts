import { createHash } from 'node:crypto';
import type { ControlPlane } from '../../packages/embedded-cluster/src/control-plane.ts';
import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import { operatorUser } from '../../packages/holdfast/src/api/installation-names.ts';
import { defaultInstallValues } from '../../packages/holdfast/src/install/values/values.ts';
import { OpenRequests } from './open-requests.ts';
import { type PodUpdate, updateOf } from './pod-updates.ts';
import { ReservationTimes } from './reservation-times.ts';

/** An object at one moment; without `object` it was gone. `seq` orders all writes of the API server. */
export interface Version {
  readonly seq: number;
  readonly at: number;
  readonly object: KubeObject | undefined;
}

export type Cause = 'EVICT' | 'DELETE' | 'UPDATE';

/** A pod that a request took away, or restarted in place. */
export interface Disruption {
  readonly seq: number;
  readonly at: number;
  readonly pod: KubeObject;
  readonly cause: Cause;
  readonly user: string;
  /** Of an UPDATE: what it does to the pod. */
  readonly update?: PodUpdate;
  /** When the API server got the request. Undefined: it was not under way any more. */
  readonly askedAt: number | undefined;
  /** When the last eviction of the name was asked for that this can belong to. A late deletion does not say which one sent it. */
  readonly lastAskedAt: number | undefined;
  /** Since when a ledger holds a reservation for it: it counts as gone from then on (I5). */
  readonly reservedAt: number | undefined;
  /** Pods, by uid, and since when a ledger holds a reservation for each that rests on no condition: all of them count as gone (N1, N6). */
  readonly firmSince: ReadonlyMap<string, number>;
}

/** Collections that the judge reads. */
const kept: ReadonlySet<string> = new Set([
  'pods',
  'policy/poddisruptionbudgets',
  'policy.kruise.io/podunavailablebudgets',
  'apps/statefulsets',
  'apps/deployments',
  'apps/replicasets',
  'leaderworkerset.x-k8s.io/leaderworkersets',
  'holdfast.dev/disruptionledgers',
  'coordination.k8s.io/leases',
]);

const takeoverUser = operatorUser(defaultInstallValues.namespace);
const involuntary = [
  /^system:node:/,
  /^system:serviceaccount:kube-system:(generic-garbage-collector|pod-garbage-collector|namespace-controller)$/,
];

/**
 * What the API server itself knows: every version of every object that matters, with its time, and which request took which pod away.
 * It knows nothing of what the operator believes.
 */
export class History {
  readonly #now: () => number;
  readonly #objects = new Map<string, Version[]>();
  readonly #requests: OpenRequests;
  readonly #reservations: ReservationTimes;
  readonly disruptions: Disruption[] = [];
  seq = 0;
  onDisruption: (disruption: Disruption) => void = () => undefined;
  onLedger: (before: KubeObject | undefined, after: KubeObject | undefined) => void = () => undefined;
  onBudget: (before: KubeObject | undefined, after: KubeObject | undefined) => void = () => undefined;
  onPod: (before: KubeObject | undefined, after: KubeObject | undefined) => void = () => undefined;

  constructor(plane: ControlPlane, now: () => number) {
    this.#now = now;
    this.#reservations = new ReservationTimes(now);
    plane.registry.store.subscribe((event) => {
      if (!kept.has(event.resource) || isElection(event.resource, event.stored.object)) return;
      const after = event.type === 'DELETED' ? undefined : event.stored.object;
      this.#wrote(event.resource, event.key, event.previous?.object, after);
    });
    this.#requests = new OpenRequests(plane, now);
  }

  get now(): number {
    return this.#now();
  }

  /** Pods, by name, that were asked for at all, other than by a dry run. */
  get asked(): ReadonlySet<string> {
    return this.#requests.asked;
  }

  /** All versions of one object, oldest first. */
  versions(resource: string, key: string): readonly Version[] {
    return this.#objects.get(`${resource} ${key}`) ?? [];
  }

  /** All versions of all objects of a collection up to write `seq`, oldest first for each object. */
  versionsOf(resource: string, seq: number): readonly Version[] {
    const found = [...this.#objects].filter(([id]) => id.startsWith(`${resource} `));
    return found.flatMap(([, versions]) => versions.filter((one) => one.seq <= seq));
  }

  /** Everything in a collection as it was after write `seq`. */
  list(resource: string, seq: number): readonly KubeObject[] {
    const found: KubeObject[] = [];
    for (const [id, versions] of this.#objects) {
      if (!id.startsWith(`${resource} `)) continue;
      const object = at(versions, seq);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  get(resource: string, key: string, seq: number): KubeObject | undefined {
    return at(this.versions(resource, key), seq);
  }

  /** The writes to a collection from `since` (milliseconds) on, newest first, and the state that held at `since`. */
  moments(resource: string, since: number, until: number): readonly number[] {
    const moments = new Set<number>([until]);
    for (const [id, versions] of this.#objects) {
      if (!id.startsWith(`${resource} `)) continue;
      for (const version of versions) {
        if (version.seq > until) break;
        // The state just before a write that came later than `since` held at some time after `since`.
        if (version.at >= since) moments.add(version.seq - 1).add(version.seq);
      }
    }
    return [...moments].sort((a, b) => b - a);
  }

  /** Of every version of every object, with its time. */
  digest(): string {
    return createHash('sha256')
      .update(JSON.stringify([...this.#objects]))
      .digest('hex');
  }

  #wrote(resource: string, key: string, before: KubeObject | undefined, after: KubeObject | undefined): void {
    this.seq += 1;
    const id = `${resource} ${key}`;
    const versions = this.#objects.get(id) ?? [];
    versions.push({ seq: this.seq, at: this.#now(), object: after });
    this.#objects.set(id, versions);
    if (resource === 'holdfast.dev/disruptionledgers') {
      this.#reservations.wrote(after);
      this.onLedger(before, after);
    }
    if (resource === 'policy/poddisruptionbudgets') this.onBudget(before, after);
    if (resource !== 'pods') return;
    this.onPod(before, after);
    if (before === undefined || isTerminating(before)) return;
    if (after === undefined || isTerminating(after)) this.#tookAway(before);
    else this.#updated(before, after);
  }

  #tookAway(pod: KubeObject): void {
    const { name } = pod.metadata;
    const deletion = this.#requests.stored('DELETE', name);
    const eviction = this.#requests.eviction(name);
    if (deletion !== undefined) {
      deletion.over = true;
      if (involuntary.some((pattern) => pattern.test(deletion.user))) return;
      if (deletion.user === takeoverUser) this.#disrupted(pod, 'EVICT', deletion.user, eviction?.begun);
      else this.#disrupted(pod, 'DELETE', deletion.user, deletion.begun);
    } else if (eviction !== undefined) this.#disrupted(pod, 'EVICT', eviction.user, eviction.begun);
  }

  #updated(before: KubeObject, after: KubeObject): void {
    const request = this.#requests.stored('UPDATE', before.metadata.name);
    if (request === undefined) return;
    request.over = true;
    const update = updateOf(before, after);
    const isOurs = involuntary.some((pattern) => pattern.test(request.user));
    if (update !== undefined && !isOurs) this.#disrupted(before, 'UPDATE', request.user, request.begun, update);
  }

  #disrupted(
    pod: KubeObject,
    cause: Cause,
    user: string,
    askedAt: number | undefined,
    update?: PodUpdate | undefined,
  ): void {
    const reservedAt = this.#reservations.reservedAt(pod.metadata.uid ?? '');
    const firmSince = this.#reservations.firmSince();
    const isCompleted = cause === 'EVICT' && user === takeoverUser;
    const lastBegun = isCompleted ? this.#requests.lastBegun(pod.metadata.name) : undefined;
    const lastAskedAt = lastBegun ?? askedAt;
    const known = { seq: this.seq, at: this.#now(), pod, cause, user, askedAt, lastAskedAt, reservedAt, firmSince };
    const disruption: Disruption = update === undefined ? known : { ...known, update };
    this.disruptions.push(disruption);
    this.onDisruption(disruption);
  }
}

/** Of the leases only those of agents tell something about pods. */
function isElection(resource: string, object: KubeObject): boolean {
  return resource === 'coordination.k8s.io/leases' && object.metadata.labels?.['holdfast.dev/probe-lease'] !== 'true';
}

export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && object.metadata.deletionTimestamp !== null;
}

function at(versions: readonly Version[], seq: number): KubeObject | undefined {
  let found: KubeObject | undefined;
  for (const version of versions) {
    if (version.seq > seq) break;
    found = version.object;
  }
  return found;
}
