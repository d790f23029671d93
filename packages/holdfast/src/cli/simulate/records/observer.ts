import type { ControlPlane, StoreEvent } from '@holdfast/embedded-cluster';
import type { KubeObject } from '@holdfast/embedded-cluster/objects';
import { compareStrings } from '../../../core/compare.ts';
import type { CoursePod, EvictionAnswer } from '../../../core/drain/course-pod.ts';
import type { BudgetResult, GroupResult, TimelineEvent, Unfinished, Violation } from '../simulation-result.ts';
import { AvailabilityRecord } from './availability-record.ts';
import { ObservedWorld } from './observed-world.ts';
import { isProgress, momentOf, type PodMoment } from './pod-record.ts';

/**
 * Writes down what happens, from the store and from the answers that the drain got; never from the operator's own view.
 * Events of one moment are told when all of it has happened.
 */
export class Observer {
  readonly #now: () => number;
  readonly #world: ObservedWorld;
  readonly #availability: AvailabilityRecord;
  readonly #pods = new Map<string, PodMoment>();
  readonly #moving = new Set<string>();
  readonly #timeline: TimelineEvent[] = [];
  readonly #stop: () => void;
  /** Pods, by uid, whose eviction was accepted. */
  readonly #evicted = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #unplaced = new Set<string>();
  readonly #unplacedBefore = new Set<string>();
  readonly #terminating = new Map<string, PodMoment>();
  /** Pods of the present moment, by what happened to them. */
  #evictedNow: string[] = [];
  #startedAt: number | undefined;
  #lastProgress: number;

  constructor(plane: ControlPlane, now: () => number) {
    const { store } = plane.registry;
    this.#now = now;
    this.#lastProgress = now();
    this.#world = new ObservedWorld(plane);
    this.#availability = new AvailabilityRecord(this.#world.world);
    for (const { object } of store.list('pods')) this.#remember(object);
    const subscription = store.subscribe((event) => this.#take(event));
    this.#stop = () => subscription.stop();
  }

  /** What was until now is how it began; from here on everything is written down. */
  begin(): void {
    this.#startedAt = this.#now();
    this.#lastProgress = this.#startedAt;
    this.#world.touched();
    this.#terminating.clear();
    this.#availability.begin();
    for (const { uid } of this.#unscheduled()) this.#unplacedBefore.add(uid);
  }

  /** When the cluster last made progress. */
  get lastProgress(): number {
    return this.#lastProgress;
  }

  /** Whether a pod is on its way to being ready, or to being gone. */
  get isMoving(): boolean {
    return this.#moving.size > 0;
  }

  answered({ namespace, name, node, uid }: CoursePod, answer: EvictionAnswer): void {
    const pod = { namespace, name, node };
    if (answer.kind === 'accepted') {
      this.#evicted.add(uid);
      this.#evictedNow.push(`${namespace}/${name}`);
      this.#terminating.delete(uid);
      this.#tell({ kind: 'evicted', pod });
    } else if (answer.kind === 'refused') {
      this.#availability.refused(namespace, name);
      if (this.#refused.has(uid)) return;
      this.#refused.add(uid);
      this.#tell({ kind: 'refused', pod, message: answer.message });
    }
  }

  drained(node: string): void {
    this.#tell({ kind: 'drained', node });
  }

  /** Everything of this moment has happened. */
  atRest(): void {
    if (this.#startedAt === undefined) return;
    for (const { place } of this.#terminating.values()) this.#tell({ kind: 'removed', pod: place });
    this.#terminating.clear();
    const changes = this.#availability.look(this.#world.touched(), this.#at(), this.#evictedNow);
    this.#evictedNow = [];
    this.#timeline.push(...changes);
  }

  close(): void {
    this.#stop();
  }

  get timeline(): readonly TimelineEvent[] {
    return this.#timeline;
  }

  budgets(): readonly BudgetResult[] {
    return this.#availability.budgets();
  }

  groups(): readonly GroupResult[] {
    return this.#availability.groups();
  }

  get violations(): readonly Violation[] {
    return this.#availability.violations;
  }

  /** How many pods had no node when it began. */
  get pendingBefore(): number {
    return this.#unplacedBefore.size;
  }

  /** Pods that the scheduler found no node for, and that had one, or were not there, when it began. */
  pending(): readonly Unfinished[] {
    return this.#unscheduled()
      .filter(({ uid }) => !this.#unplacedBefore.has(uid))
      .map(({ place, unschedulable }) => ({
        pod: place,
        why: unschedulable ?? 'the scheduler has not tried to place it',
      }))
      .sort((a, b) => compareStrings(`${a.pod.namespace}/${a.pod.name}`, `${b.pod.namespace}/${b.pod.name}`));
  }

  #unscheduled(): readonly PodMoment[] {
    return [...this.#pods.values()].filter(({ place, going }) => place.node === undefined && !going);
  }

  #at(): number {
    return Math.round(this.#now() - (this.#startedAt ?? this.#now()));
  }

  #tell(event: WithoutTime<TimelineEvent>): void {
    this.#timeline.push({ ...event, at: this.#at() } as TimelineEvent);
  }

  #take(event: StoreEvent): void {
    this.#world.take(event);
    const { object } = event.stored;
    if (event.resource === 'nodes') this.#takeNode(event);
    else if (event.resource === 'pods' && event.type === 'DELETED') {
      this.#pods.delete(object.metadata.uid ?? '');
      this.#moving.delete(object.metadata.uid ?? '');
      this.#lastProgress = this.#now();
    } else if (event.resource === 'pods') this.#takePod(object);
  }

  #takeNode({ type, stored, previous }: StoreEvent): void {
    const now = type !== 'DELETED' && isCordoned(stored.object);
    const before = previous !== undefined && isCordoned(previous.object);
    if (now === before) return;
    this.#lastProgress = this.#now();
    if (this.#startedAt !== undefined) {
      this.#tell({ kind: now ? 'cordoned' : 'uncordoned', node: stored.object.metadata.name });
    }
  }

  #takePod(object: KubeObject): void {
    const before = this.#pods.get(object.metadata.uid ?? '');
    const now = this.#remember(object);
    if (isProgress(before, now)) this.#lastProgress = this.#now();
    if (this.#startedAt === undefined) return;
    if (now.going && before?.going !== true && !this.#evicted.has(now.uid)) this.#terminating.set(now.uid, now);
    if (now.ready && before?.ready === false && !now.going) this.#tell({ kind: 'ready', pod: now.place });
    if (now.unschedulable !== undefined && now.place.node === undefined && !this.#unplaced.has(now.uid)) {
      this.#unplaced.add(now.uid);
      this.#tell({ kind: 'unschedulable', pod: now.place, message: now.unschedulable });
    }
  }

  #remember(object: KubeObject): PodMoment {
    const moment = momentOf(object);
    this.#pods.set(moment.uid, moment);
    if (moment.moving) this.#moving.add(moment.uid);
    else this.#moving.delete(moment.uid);
    return moment;
  }
}

type WithoutTime<T> = T extends unknown ? Omit<T, 'at'> : never;

function isCordoned({ spec }: KubeObject): boolean {
  return (spec as { readonly unschedulable?: boolean } | undefined)?.unschedulable === true;
}
