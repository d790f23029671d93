import { sameJson } from '@holdfast/base/json';
import type { PodCondition } from 'kubernetes-types/core/v1.js';
import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import { type KubeObject, keyOf, splitKey } from '../../objects.ts';
import { timestamp } from '../../time/clock.ts';
import type { ViewEvent } from '../../view.ts';
import { findCondition, withoutCondition } from '../common/conditions.ts';
import { EventRecorder } from '../common/events.ts';
import type { NodeObject, PodObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';
import { stayOf } from './eviction-time.ts';

const name = 'taint-eviction-controller';

/** Removes pods from nodes whose NoExecute taints they do not tolerate, or no longer. */
export function startTaintEvictionController(context: ControllerContext): Controller {
  return new TaintEviction(context);
}

/** A pod whose time on its node is running out. */
interface Countdown {
  readonly uid: string | undefined;
  readonly dueMs: number;
}

class TaintEviction implements Controller {
  readonly #context: ControllerContext;
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #countdowns = new Map<string, Countdown>();
  readonly #reconciler: Reconciler;
  readonly #watching: readonly { stop(): void }[];

  constructor(context: ControllerContext) {
    this.#context = context;
    // It acts as the node controller, whose part it once was.
    this.#client = context.clientFor('node-controller');
    this.#events = new EventRecorder(context, this.#client, name);
    this.#reconciler = new Reconciler(context, { name, reconcile: (key) => this.#reconcile(key) });
    this.#watching = [
      context.view.watch('nodes', (event) => this.#onNode(event)),
      context.view.watch('pods', (event) => this.#onPod(event)),
    ];
  }

  stop(): void {
    for (const subscription of this.#watching) subscription.stop();
    this.#reconciler.stop();
  }

  /** Of a node that is gone, the countdowns go on. */
  #onNode({ type, object, previous }: ViewEvent): void {
    const now = fatalTaints(object as NodeObject);
    const before = previous === undefined ? [] : fatalTaints(previous as NodeObject);
    if (type === 'DELETED' || sameJson(now, before)) return;
    for (const pod of this.#context.view.podsOnNode(object.metadata.name)) this.#reconciler.add(keyOf(pod));
  }

  #onPod({ type, object, previous }: ViewEvent): void {
    if (type !== 'DELETED' && previous !== undefined && sameJson(placing(object), placing(previous))) return;
    this.#reconciler.add(keyOf(object));
  }

  async #reconcile(key: string): Promise<Requeue | undefined> {
    const { namespace, name: podName } = splitKey(key);
    const pod = this.#context.view.get<PodObject>('pods', namespace, podName);
    const countdown = this.#countdowns.get(key);
    if (pod === undefined || (countdown !== undefined && countdown.uid !== pod.metadata.uid)) {
      this.#countdowns.delete(key);
    }
    if (pod === undefined) return undefined;
    const dueMs = this.#dueTime(key, pod);
    if (dueMs === undefined) return undefined;
    const waitMs = dueMs - this.#context.clock.now();
    if (waitMs > 0) return { afterMs: waitMs };
    await this.#evict(pod);
    this.#countdowns.delete(key);
    return undefined;
  }

  /** When the pod is evicted. Another taint does not restart a running countdown. */
  #dueTime(key: string, pod: PodObject): number | undefined {
    const running = this.#countdowns.get(key);
    const node = this.#context.view.get<NodeObject>('nodes', '', pod.spec.nodeName ?? '');
    if (node === undefined) return running?.dueMs;
    const now = this.#context.clock.now();
    const stay = stayOf(fatalTaints(node), pod.spec.tolerations ?? []);
    if (stay.kind === 'none') return now;
    if (stay.kind === 'unlimited') {
      if (this.#countdowns.delete(key)) {
        this.#events.event(pod, 'Normal', 'TaintManagerEviction', `Cancelling deletion of Pod ${key}`);
      }
      return undefined;
    }
    if (running) return running.dueMs;
    this.#countdowns.set(key, { uid: pod.metadata.uid, dueMs: now + stay.ms });
    return now + stay.ms;
  }

  async #evict(pod: PodObject): Promise<void> {
    const { namespace = '', name: podName } = pod.metadata;
    this.#events.event(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${keyOf(pod)}`);
    try {
      const now = timestamp(this.#context.clock.now());
      await this.#client.modify<PodObject>('pods', namespace, podName, (draft) => marked(draft, now), {
        subresource: 'status',
      });
      await this.#client.delete('pods', namespace, podName);
    } catch (error) {
      if (!isApiError(error, 404)) throw error;
    }
  }
}

function fatalTaints(node: NodeObject): NonNullable<NonNullable<NodeObject['spec']>['taints']> {
  return (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}

function placing(object: KubeObject): unknown {
  const { spec, metadata } = object as PodObject;
  return [metadata.uid, spec.nodeName ?? '', spec.tolerations ?? []];
}

/** Newer than the published types. */
type SeenCondition = PodCondition & { observedGeneration?: number };

function marked(pod: PodObject, now: string): PodObject | undefined {
  const conditions = pod.status?.conditions;
  const before = findCondition(conditions, 'DisruptionTarget');
  const next: SeenCondition = {
    type: 'DisruptionTarget',
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    status: 'True',
    lastTransitionTime: before?.status === 'True' && before.lastTransitionTime ? before.lastTransitionTime : now,
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
  };
  if (before !== undefined && sameJson(before, next)) return undefined;
  return { ...pod, status: { ...pod.status, conditions: [...withoutCondition(conditions, next.type), next] } };
}
