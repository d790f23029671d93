import type { AdmissionRequest } from '../../src/cluster/admission/admission.ts';
import type { ControlPlane } from '../../src/cluster/control-plane.ts';
import type { KubeObject } from '../../src/cluster/objects.ts';
import { operatorUser } from '../../src/operator/install/names.ts';
import { defaultInstallValues } from '../../src/operator/install/values.ts';

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
  /** When the API server got the request. Undefined: it was not under way any more. */
  readonly askedAt: number | undefined;
  /** Since when a ledger holds a reservation for it: it counts as gone from then on (I5). */
  readonly reservedAt: number | undefined;
  /** Pods, by uid, and since when a ledger holds a reservation for each that rests on no condition: all of them count as gone (N1, N6). */
  readonly firmSince: ReadonlyMap<string, number>;
}

interface LedgerSpec {
  readonly reservations?: readonly { readonly uid: string; readonly conditional?: boolean }[];
}

interface OpenRequest {
  readonly operation: 'EVICT' | 'DELETE';
  readonly pod: string;
  readonly user: string;
  readonly begun: number;
  readonly dryRun: boolean;
  admitted: number | undefined;
  over: boolean;
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
]);

const takeoverUser = operatorUser(defaultInstallValues.namespace);
const involuntary = [
  /^system:node:/,
  /^system:serviceaccount:kube-system:(generic-garbage-collector|pod-garbage-collector|namespace-controller)$/,
];

/** How long after its admission the built-in eviction may still act: it tries again while it loses races. */
const evictionTailMs = 15_000;

/**
 * What the API server itself knows: every version of every object that matters, with its time, and which request took which pod away.
 * It knows nothing of what the operator believes.
 */
export class History {
  readonly #now: () => number;
  readonly #objects = new Map<string, Version[]>();
  readonly #requests: OpenRequest[] = [];
  readonly #reservedAt = new Map<string, number>();
  readonly #firmSince = new Map<string, number>();
  readonly disruptions: Disruption[] = [];
  /** Pods, by name, that were asked for at all, other than by a dry run. */
  readonly asked = new Set<string>();
  seq = 0;
  onDisruption: (disruption: Disruption) => void = () => undefined;
  onLedger: (before: KubeObject | undefined, after: KubeObject | undefined) => void = () => undefined;
  onBudget: (before: KubeObject | undefined, after: KubeObject | undefined) => void = () => undefined;
  onPod: (before: KubeObject | undefined, after: KubeObject | undefined) => void = () => undefined;

  constructor(plane: ControlPlane, now: () => number) {
    this.#now = now;
    plane.registry.store.subscribe((event) => {
      if (!kept.has(event.resource)) return;
      const after = event.type === 'DELETED' ? undefined : event.stored.object;
      this.#wrote(event.resource, event.key, event.previous?.object, after);
    });
    this.#listenToAdmission(plane);
  }

  /** All versions of one object, oldest first. */
  versions(resource: string, key: string): readonly Version[] {
    return this.#objects.get(`${resource} ${key}`) ?? [];
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

  #wrote(resource: string, key: string, before: KubeObject | undefined, after: KubeObject | undefined): void {
    this.seq += 1;
    const id = `${resource} ${key}`;
    const versions = this.#objects.get(id) ?? [];
    versions.push({ seq: this.seq, at: this.#now(), object: after });
    this.#objects.set(id, versions);
    if (resource === 'holdfast.dev/disruptionledgers') {
      this.#reserved(after);
      this.onLedger(before, after);
    }
    if (resource === 'policy/poddisruptionbudgets') this.onBudget(before, after);
    if (resource !== 'pods') return;
    this.onPod(before, after);
    if (before === undefined || isTerminating(before)) return;
    if (after === undefined || isTerminating(after)) this.#tookAway(before);
  }

  /** A ledger that a person deleted forgets nothing: replicas remember what it held. */
  #reserved(ledger: KubeObject | undefined): void {
    if (ledger === undefined) return;
    const { reservations = [] } = (ledger['spec'] ?? {}) as LedgerSpec;
    this.#note(this.#reservedAt, reservations);
    this.#note(
      this.#firmSince,
      reservations.filter((one) => one.conditional !== true),
    );
  }

  #note(since: Map<string, number>, present: readonly { readonly uid: string }[]): void {
    const uids = new Set(present.map(({ uid }) => uid));
    for (const uid of since.keys()) if (!uids.has(uid)) since.delete(uid);
    for (const uid of uids) if (!since.has(uid)) since.set(uid, this.#now());
  }

  #tookAway(pod: KubeObject): void {
    const { name } = pod.metadata;
    const now = this.#now();
    const deletion = this.#requests.findLast(
      (one) => one.operation === 'DELETE' && one.pod === name && one.admitted === now && !one.dryRun && !one.over,
    );
    const eviction = this.#evictionOf(name, now);
    if (deletion !== undefined) {
      deletion.over = true;
      if (involuntary.some((pattern) => pattern.test(deletion.user))) return;
      if (deletion.user === takeoverUser) this.#disrupted(pod, 'EVICT', deletion.user, eviction?.begun);
      else this.#disrupted(pod, 'DELETE', deletion.user, deletion.begun);
    } else if (eviction !== undefined) this.#disrupted(pod, 'EVICT', eviction.user, eviction.begun);
  }

  /** The eviction of a pod that is under way, the one that was asked for last; it may still be in admission. */
  #evictionOf(name: string, now: number): OpenRequest | undefined {
    return this.#requests.findLast(
      (one) =>
        one.operation === 'EVICT' &&
        one.pod === name &&
        !one.dryRun &&
        (!one.over || (one.admitted !== undefined && one.admitted + evictionTailMs >= now)),
    );
  }

  #disrupted(pod: KubeObject, cause: Cause, user: string, askedAt: number | undefined): void {
    const reservedAt = this.#reservedAt.get(pod.metadata.uid ?? '');
    const firmSince = new Map(this.#firmSince);
    const disruption = { seq: this.seq, at: this.#now(), pod, cause, user, askedAt, reservedAt, firmSince };
    this.disruptions.push(disruption);
    this.onDisruption(disruption);
  }

  #listenToAdmission(plane: ControlPlane): void {
    const registry = plane.registry as { -readonly [K in keyof typeof plane.registry]: (typeof plane.registry)[K] };
    const inner = registry.admission;
    registry.admission = {
      mutate: (request) => inner.mutate(request),
      validate: async (request) => {
        const open = this.#begin(request);
        try {
          await inner.validate(request);
          if (open !== undefined) open.admitted = this.#now();
        } catch (error) {
          if (open !== undefined) open.over = true;
          throw error;
        }
        if (open?.operation === 'EVICT') open.over = true;
      },
    };
  }

  #begin(request: AdmissionRequest): OpenRequest | undefined {
    if (request.type.key !== 'pods') return undefined;
    const operation = request.subresource === 'eviction' ? 'EVICT' : request.operation;
    if (operation !== 'EVICT' && !(operation === 'DELETE' && request.subresource === '')) return undefined;
    const body = (request.object?.['deleteOptions'] ?? {}) as { readonly dryRun?: readonly string[] };
    const dryRun = request.dryRun || (body.dryRun?.length ?? 0) > 0;
    const open: OpenRequest = {
      operation,
      pod: request.name,
      user: request.user.name,
      begun: this.#now(),
      dryRun,
      admitted: undefined,
      over: false,
    };
    if (!dryRun) this.asked.add(request.name);
    this.#requests.push(open);
    return open;
  }
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
