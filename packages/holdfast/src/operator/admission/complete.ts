import type { PodDisruptionBudget } from '../../api/pdb.ts';
import { takeoverPropagation } from '../../api/takeover.ts';
import { takeFromCounter } from '../../core/budget/builtin-counter.ts';
import type { Effects, JudgedPod } from '../../core/verdict.ts';
import type { KubeClient, ObjectPlace } from '../../kube/client/client.ts';
import type { Outcome } from '../../kube/outcome/failure.ts';
import type { Clock } from '../../kube/time/clock.ts';
import { resources } from '../../observe/resources.ts';
import type { Deadline } from './deadline.ts';
import type { EvictionTerms } from './pod-request.ts';

/** Completes an eviction in the API server's place: takes from the counters of plain PDBs first, then deletes the judged pod. */

export interface CounterParts {
  readonly client: Pick<KubeClient, 'get' | 'patch'>;
  readonly clock: Clock;
}

/** An eviction that we complete, and the plain PDBs that it is taken from. */
export interface CountedEviction {
  readonly namespace: string;
  readonly pod: string;
  readonly budgets: readonly string[];
}

export type Taken =
  | { readonly kind: 'taken'; readonly giveBack: () => Promise<void> }
  /** Nothing was taken, or what was taken is given back. */
  | { readonly kind: 'refused'; readonly budget: string; readonly why: string };

/** What the API server answers, with who wrote which field and when by its own clock. */
type StoredPdb = PodDisruptionBudget & {
  readonly metadata: {
    readonly managedFields?: readonly {
      readonly manager?: string;
      readonly subresource?: string;
      readonly time?: string;
    }[];
  };
};

const fieldManager = 'holdfast-eviction';
/** The disruption controller writes the same status, and evictions do: as often as Kubernetes' own check tries. */
const maxAttempts = 20;
/** No pod can have this name: the disruption controller counts because of the note, and drops it by that. */
const recountNote = '_recount.holdfast.dev';
/** One refusal after another asks for the same: a moment is enough for the controller to count. */
const recountEveryMs = 1_000;
/** Budgets whose last request to be counted is remembered; beyond that all are forgotten, and asked for once more. */
const maxRemembered = 10_000;
/** A note lives for two minutes by the disruption controller's clock; ours may differ from that by this much. */
const tolerableSkewMs = 20_000;

/**
 * The counters of plain PDBs, from which Kubernetes' own eviction check takes. A takeover passes that check by, so it takes from them
 * itself, with the same compare-and-swap, before it deletes the pod. Whatever the API server then lets pass by these counters, with
 * or without asking us, was counted after what we delete (ADR 0024).
 */
export class BuiltinCounters {
  readonly #parts: CounterParts;
  /** How far the API server's clock is ahead of ours, by its own word. */
  #aheadMs = 0;
  /** When a budget was last asked to be counted. */
  readonly #askedAt = new Map<string, number>();

  constructor(parts: CounterParts) {
    this.#parts = parts;
  }

  /** From all of them or from none. */
  async take({ namespace, pod, budgets }: CountedEviction, leftMs: number): Promise<Taken> {
    const until = this.#parts.clock.monotonic() + leftMs;
    const undo: (() => Promise<void>)[] = [];
    const giveBack = async () => {
      for (const one of undo) await one();
    };
    for (const name of budgets) {
      const taken = await this.#takeOne({ namespace, name }, pod, until);
      if (taken.kind === 'taken') undo.push(taken.giveBack);
      else {
        await giveBack();
        return taken;
      }
    }
    return { kind: 'taken', giveBack };
  }

  /**
   * Has the disruption controller count a budget again. Of several PDBs over a pod it counts only one when the pod changes, and the
   * others stay as they are until something changes them: seen on 1.37.1.
   */
  async recount(namespace: string, name: string): Promise<void> {
    const key = `${namespace}/${name}`;
    const now = this.#parts.clock.monotonic();
    if (now - (this.#askedAt.get(key) ?? Number.NEGATIVE_INFINITY) < recountEveryMs) return;
    if (this.#askedAt.size >= maxRemembered) this.#askedAt.clear();
    this.#askedAt.set(key, now);
    const body = { status: { disruptedPods: { [recountNote]: this.#time() } } };
    await this.#parts.client.patch(
      resources.pdbs,
      statusOf({ namespace, name }),
      { type: 'merge', body },
      { fieldManager },
    );
  }

  async #takeOne(place: Place, pod: string, until: number): Promise<Taken> {
    const { client, clock } = this.#parts;
    const refused = (why: string): Taken => ({ kind: 'refused', budget: place.name, why });
    let first: boolean | undefined;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const deadlineMs = until - clock.monotonic();
      if (deadlineMs <= 0) return refused('the deadline of the request was too close to count it there');
      const read = await client.get<StoredPdb>(resources.pdbs, place, { deadlineMs });
      // A budget that is gone counts nothing, and the API server would not ask it.
      if (!read.ok && read.failure.kind === 'notFound') return { kind: 'taken', giveBack: async () => undefined };
      if (!read.ok) return refused(read.failure.message);
      const step = takeFromCounter(read.value, pod, this.#time());
      if (step.kind === 'refused') return refused(step.why);
      first ??= !step.renewed;
      const body = { metadata: { resourceVersion: read.value.metadata.resourceVersion }, status: step.status };
      const left = { fieldManager, deadlineMs: until - clock.monotonic() };
      const written = await client.patch<StoredPdb>(resources.pdbs, statusOf(place), { type: 'merge', body }, left);
      if (written.ok && this.#wasInTime(written.value)) {
        // A note that was there before is not ours to take away: another eviction of the pod may rest on it.
        const version = first ? written.value.metadata.resourceVersion : undefined;
        return { kind: 'taken', giveBack: () => this.#giveBack(place, pod, version) };
      }
      if (!written.ok && written.failure.kind !== 'conflict') return refused(written.failure.message);
    }
    return refused('its status kept changing');
  }

  #time(): string {
    const now = this.#parts.clock.now() + this.#aheadMs;
    return new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  /** A note with a time that is long past would be dropped at once: it is written again by the API server's clock. */
  #wasInTime({ metadata }: StoredPdb): boolean {
    const own = metadata.managedFields?.find((one) => one.manager === fieldManager && one.subresource === 'status');
    const ahead = Date.parse(own?.time ?? '') - this.#parts.clock.now();
    if (Number.isNaN(ahead) || Math.abs(ahead - this.#aheadMs) <= tolerableSkewMs) return true;
    this.#aheadMs = ahead;
    return false;
  }

  /**
   * Takes back the note alone, and only if nothing was written since: the disruption controller counts again when it sees that.
   * What stays is forgotten by the controller after two minutes.
   */
  async #giveBack(place: Place, pod: string, resourceVersion: string | undefined): Promise<void> {
    if (resourceVersion === undefined) return;
    const body = { metadata: { resourceVersion }, status: { disruptedPods: { [pod]: null } } };
    await this.#parts.client.patch(resources.pdbs, statusOf(place), { type: 'merge', body }, { fieldManager });
  }
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

function statusOf(place: Place): ObjectPlace {
  return { ...place, subresource: 'status' };
}

/** What became of the deletion with which we complete an eviction. */
export type Completion =
  | { readonly kind: 'deleted' }
  /** The pod does not exist any more: the API server will say so itself. */
  | { readonly kind: 'gone' }
  /** The pod of that name is not the one that the verdict was about, or not as it was then. */
  | { readonly kind: 'moved'; readonly message: string }
  /** Another webhook, or our own permissions, refuse it. */
  | { readonly kind: 'refused'; readonly message: string }
  /** It was not sent: too little of the request's time was left. */
  | { readonly kind: 'unsent'; readonly message: string }
  /** Whether it happened is not known; the reservation stays, and a client that asks again finds out. */
  | { readonly kind: 'unknown'; readonly message: string };

export interface Takeover {
  readonly namespace: string;
  /** The pod that was judged, and no other. */
  readonly target: JudgedPod;
  readonly onlyIf: Effects['onlyIf'];
  readonly terms: EvictionTerms | undefined;
}

/**
 * A deletion that is sent later than this before the deadline is hardly answered by it: the client would be told "not now" while
 * its pod is deleted.
 */
const shortestMs = 100;

/**
 * Deletes the judged pod in the eviction's place. The API server then finds it terminating, asks no budget and answers success. Without
 * any grace the pod would be gone at once and the eviction a 404, so there is always some; the API server ends it as it was asked.
 */
export async function takeOver(
  client: Pick<KubeClient, 'delete'>,
  { namespace, target, onlyIf, terms }: Takeover,
  deadline: Deadline,
): Promise<Completion> {
  const { leftMs } = deadline;
  if (leftMs < shortestMs)
    return { kind: 'unsent', message: `only ${Math.round(leftMs)} ms were left before the deadline` };
  const { gracePeriodSeconds, propagationPolicy = takeoverPropagation } = terms ?? {};
  const body = {
    preconditions: { uid: target.uid, ...(onlyIf === undefined ? {} : { resourceVersion: onlyIf.resourceVersion }) },
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: Math.max(1, gracePeriodSeconds) }),
    propagationPolicy,
  };
  const place = { namespace, name: target.pod };
  return completionOf(await client.delete(resources.pods, place, body, { deadlineMs: leftMs }));
}

function completionOf(outcome: Outcome<unknown>): Completion {
  if (outcome.ok) return { kind: 'deleted' };
  const { kind, message } = outcome.failure;
  switch (kind) {
    case 'notFound':
      return { kind: 'gone' };
    case 'conflict':
      return { kind: 'moved', message };
    case 'denied':
    case 'rejected':
    case 'tooManyRequests':
      return { kind: 'refused', message };
    default:
      return { kind: 'unknown', message };
  }
}
