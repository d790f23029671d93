import { sameJson } from '@holdfast/base/json';
import type { Subscription } from '../../store/store.ts';
import type { ViewEvent } from '../../view.ts';
import type { NodeObject, PodObject } from '../common/workloads.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { podGroups } from '../workload/pod-group.ts';
import { chooseNode } from './choose.ts';
import { ClusterState } from './cluster-state.ts';
import { GroupMembers } from './group-members.ts';
import { type GroupReference, groupOf, policyOf, workloads } from './groups.ts';
import { placeGang } from './place-gang.ts';
import { isNodeChanged, isRequestChanged, podRoleOf } from './pod-intake.ts';
import { type PodNeeds, readPod, shapeOf } from './pod-needs.ts';
import { PodQueue } from './queue.ts';
import { SchedulerWrites } from './scheduler-writes.ts';

export interface SchedulerOptions {
  /** False: no event for each pod that got a node, only for those that did not. */
  readonly successEvents?: boolean;
}

/** Decisions in one turn of the event loop. */
const maxPerTurn = 64;

/** Gives pods their nodes. Preemption, volumes and preferences are not looked at. */
export function startScheduler(context: ControllerContext, options: SchedulerOptions = {}): Controller {
  return new Scheduler(context, options);
}

class Scheduler implements Controller {
  readonly #context: ControllerContext;
  readonly #options: SchedulerOptions;
  readonly #writes: SchedulerWrites;
  readonly #state: ClusterState;
  readonly #queue: PodQueue;
  readonly #members = new GroupMembers();
  readonly #binding = new Set<string>();
  readonly #subscriptions: readonly Subscription[];
  /** What did not fit as things stand: pods alike need not be tried. */
  #hopeless = { version: -1, messages: new Map<string, string>() };
  #start = 0;
  #turnPlanned = false;
  #stopped = false;

  constructor(context: ControllerContext, options: SchedulerOptions) {
    this.#context = context;
    this.#options = options;
    this.#writes = new SchedulerWrites(context, () => {
      if (this.#queue.hasActive) this.#planTurn();
    });
    this.#state = new ClusterState((name) => context.view.get('namespaces', '', name)?.metadata.labels ?? {});
    this.#queue = new PodQueue(context.clock, () => this.#planTurn());
    const { view } = context;
    this.#subscriptions = [
      view.watch('nodes', (event) => this.#onNode(event)),
      view.watch('namespaces', (event) => this.#onNamespace(event)),
      view.watch('pods', (event) => this.#onPod(event)),
      view.watch(podGroups, (event) => this.#onGroup(event)),
      view.watch(workloads, (event) => this.#onGroup(event)),
    ];
  }

  stop(): void {
    this.#stopped = true;
    for (const subscription of this.#subscriptions) subscription.stop();
    this.#queue.stop();
  }

  #onNode(event: ViewEvent): void {
    if (!isNodeChanged(event)) return;
    if (event.type === 'DELETED') this.#state.removeNode(event.object.metadata.name);
    else this.#state.setNode(event.object as NodeObject);
    this.#queue.stir();
  }

  #onNamespace({ object, previous }: ViewEvent): void {
    if (sameJson(object.metadata.labels ?? {}, previous?.metadata.labels ?? {})) return;
    this.#state.forgetCounts();
    this.#queue.stir();
  }

  #onPod({ type, object, previous }: ViewEvent): void {
    const pod = object as PodObject;
    const uid = pod.metadata.uid ?? '';
    // Its name may have been taken by another pod within one change.
    if (previous !== undefined && previous.metadata.uid !== uid) this.#forget(previous as PodObject);
    const role = type === 'DELETED' ? 'none' : podRoleOf(pod);
    this.#members.set(pod, role !== 'none');
    if (role === 'placed') this.#settle(pod, uid);
    else if (role === 'pending') this.#consider(pod, uid);
    else this.#forget(pod);
  }

  #settle(pod: PodObject, uid: string): void {
    this.#queue.remove(uid);
    if (this.#state.isCounted(pod)) return;
    const needs = readPod(pod);
    const isNew = !this.#state.isPlaced(uid);
    this.#state.place(needs, pod.spec.nodeName ?? '');
    // One that was there already may take less now.
    if (isNew) this.#queue.stirSociable();
    else this.#queue.stir();
  }

  #consider(pod: PodObject, uid: string): void {
    if (this.#binding.has(uid)) return;
    const waiting = this.#queue.get(uid);
    if (waiting === undefined || isRequestChanged(waiting, pod)) this.#queue.add(readPod(pod));
  }

  #forget(pod: PodObject): void {
    const uid = pod.metadata.uid ?? '';
    this.#members.set(pod, false);
    this.#queue.remove(uid);
    if (!this.#binding.has(uid) && this.#state.remove(uid)) this.#queue.stir();
  }

  #onGroup({ object, previous }: ViewEvent): void {
    if (previous !== undefined && sameJson(object['spec'], previous['spec'])) return;
    const { namespace = '', name } = object.metadata;
    for (const uid of this.#members.of(object.kind, namespace, name)) {
      const waiting = this.#queue.get(uid);
      if (waiting) this.#queue.add(waiting);
    }
  }

  /** Not at once: what is written in one turn of the event loop is looked at together. */
  #planTurn(): void {
    if (this.#turnPlanned || this.#stopped) return;
    this.#turnPlanned = true;
    setImmediate(() => {
      this.#turnPlanned = false;
      this.#turn();
    });
  }

  #turn(): void {
    for (let count = 0; count < maxPerTurn && !this.#writes.isFull; count += 1) {
      const needs = this.#queue.take();
      if (needs === undefined) return;
      this.#decide(needs);
    }
    if (!this.#writes.isFull) this.#planTurn();
  }

  #decide(needs: PodNeeds): void {
    const group = groupOf(needs.pod);
    if (group === undefined) {
      this.#placeOne(needs);
      return;
    }
    const policy = policyOf(this.#context.view, group);
    // Held back until the group is there: nothing is wrong with the pod.
    if (policy.kind === 'unknown') return;
    if (policy.kind === 'gang') this.#decideGang(needs, group, policy.minCount);
    else if (this.#placeOne(needs)) this.#writes.groupProgress(group, { kind: 'scheduled' });
  }

  #decideGang(needs: PodNeeds, group: GroupReference, minCount: number): void {
    const uids = this.#members.inGroup(group.id);
    const placed = uids.filter((uid) => this.#state.isPlaced(uid)).length;
    if (placed >= minCount) {
      this.#placeOne(needs);
      return;
    }
    const pending = uids.flatMap((uid) => this.#queue.get(uid) ?? []);
    if (placed + pending.length < minCount) return;
    const outcome = placeGang(pending, placed, minCount, this.#state, this.#start);
    if (outcome.kind === 'none') {
      for (const member of pending) this.#failed(member, outcome.message);
      this.#writes.groupProgress(group, { kind: 'unschedulable', message: outcome.message });
      return;
    }
    this.#start = outcome.nextStart;
    for (const { needs: member, node } of outcome.placed) this.#bind(member, node);
    for (const { needs: member, message } of outcome.left) this.#failed(member, message);
    this.#writes.groupProgress(group, { kind: 'scheduled' });
  }

  #placeOne(needs: PodNeeds): boolean {
    const hopeless = this.#knownHopeless(needs);
    if (hopeless !== undefined) {
      this.#failed(needs, hopeless);
      return false;
    }
    const choice = chooseNode(needs, this.#state, this.#start);
    if (choice.kind === 'none') {
      this.#hopeless.messages.set(shapeOf(needs), choice.message);
      this.#failed(needs, choice.message);
      return false;
    }
    this.#start = choice.nextStart;
    this.#state.place(needs, choice.name);
    this.#bind(needs, choice.name);
    return true;
  }

  #knownHopeless(needs: PodNeeds): string | undefined {
    if (this.#hopeless.version !== this.#state.version) {
      this.#hopeless = { version: this.#state.version, messages: new Map() };
    }
    return this.#hopeless.messages.size === 0 ? undefined : this.#hopeless.messages.get(shapeOf(needs));
  }

  #bind(needs: PodNeeds, node: string): void {
    this.#queue.remove(needs.uid);
    this.#binding.add(needs.uid);
    this.#writes.bind(needs, node, this.#options.successEvents ?? true, () => this.#afterBinding(needs));
  }

  /** A pod that did not get its place, or is gone already, gives it back; what is still there is tried again. */
  #afterBinding(needs: PodNeeds): void {
    this.#binding.delete(needs.uid);
    if (this.#stopped) return;
    const now = this.#context.view.get<PodObject>('pods', needs.namespace, needs.pod.metadata.name);
    const role = now?.metadata.uid === needs.uid ? podRoleOf(now) : 'none';
    if (role === 'placed') {
      this.#queue.stirSociable();
      return;
    }
    if (this.#state.remove(needs.uid)) this.#queue.stir();
    if (role === 'pending' && now) this.#queue.retry(readPod(now));
  }

  #failed(needs: PodNeeds, message: string): void {
    this.#queue.park(needs);
    this.#writes.unschedulable(needs, message);
  }
}
