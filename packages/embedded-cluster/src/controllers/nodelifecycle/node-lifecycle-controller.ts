import { sameJson } from '@holdfast/base/json';
import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import { type KubeObject, keyOf, splitKey } from '../../objects.ts';
import type { Timer } from '../../time/clock.ts';
import { timestamp } from '../../time/clock.ts';
import type { ViewEvent } from '../../view.ts';
import { findCondition } from '../common/conditions.ts';
import { EventRecorder } from '../common/events.ts';
import type { NodeObject, PodObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler } from '../controller.ts';
import { type GracePeriods, judgeNode, type NodeSighting } from './node-health.ts';
import { taintsFor } from './taints.ts';

export interface NodeLifecycleOptions {
  /** How long a node may be silent. */
  readonly graceMs?: number;
  readonly startupGraceMs?: number;
  /** False: nodes that have gone silent are not looked for. */
  readonly monitor?: boolean;
}

const name = 'node-controller';
const monitorPeriodMs = 5000;
const defaultGrace: GracePeriods = { runningMs: 50_000, startupMs: 60_000 };

/** Notices nodes that have gone silent, and keeps the taints that say which nodes take pods. */
export function startNodeLifecycleController(
  context: ControllerContext,
  options: NodeLifecycleOptions = {},
): Controller {
  const grace = {
    runningMs: options.graceMs ?? defaultGrace.runningMs,
    startupMs: options.startupGraceMs ?? defaultGrace.startupMs,
  };
  return new NodeLifecycle(context, grace, options.monitor ?? true);
}

type LeaseObject = KubeObject & { spec?: { renewTime?: string } };

class NodeLifecycle implements Controller {
  readonly #context: ControllerContext;
  readonly #grace: GracePeriods;
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #sightings = new Map<string, NodeSighting>();
  readonly #tainting: Reconciler;
  readonly #health: Reconciler;
  readonly #podMarking: Reconciler;
  readonly #watching: readonly { stop(): void }[];
  #monitor: Timer | undefined;

  constructor(context: ControllerContext, grace: GracePeriods, monitor: boolean) {
    this.#context = context;
    this.#grace = grace;
    this.#client = context.clientFor(name);
    this.#events = new EventRecorder(context, this.#client, name);
    this.#tainting = this.#reconciler((key) => this.#taint(key));
    this.#health = this.#reconciler((key) => this.#checkHealth(key));
    this.#podMarking = this.#reconciler((key) => this.#markPod(key));
    this.#watching = [
      context.view.watch('nodes', (event) => this.#onNode(event)),
      context.view.watch('pods', (event) => this.#onPod(event)),
    ];
    if (monitor) this.#monitor = this.#nextRound();
  }

  stop(): void {
    this.#monitor?.cancel();
    for (const subscription of this.#watching) subscription.stop();
    for (const reconciler of [this.#tainting, this.#health, this.#podMarking]) reconciler.stop();
  }

  #reconciler(work: (key: string) => Promise<void>): Reconciler {
    return new Reconciler(this.#context, {
      name,
      async reconcile(key) {
        await work(key);
        return undefined;
      },
    });
  }

  /** Silence is no event: it has to be looked for. */
  #nextRound(): Timer {
    return this.#context.clock.after(monitorPeriodMs, () => {
      for (const node of this.#context.view.list('nodes')) this.#health.add(node.metadata.name);
      this.#monitor = this.#nextRound();
    });
  }

  #onNode({ type, object }: ViewEvent): void {
    const node = object.metadata.name;
    if (type === 'DELETED') {
      this.#sightings.delete(node);
      this.#events.event(object, 'Normal', 'RemovingNode', `Removing Node ${node} from Controller`);
      return;
    }
    if (type === 'ADDED') {
      this.#events.event(object, 'Normal', 'RegisteredNode', `Registered Node ${node} in Controller`);
      this.#health.add(node);
    }
    this.#tainting.add(node);
  }

  /** A pod that arrives on a node that is not ready is not ready either. */
  #onPod({ type, object, previous }: ViewEvent): void {
    const node = nodeOf(object);
    if (type === 'DELETED' || node === '' || (previous !== undefined && nodeOf(previous) === node)) return;
    this.#podMarking.add(keyOf(object));
  }

  async #taint(key: string): Promise<void> {
    const now = this.#context.clock.now();
    const current = this.#node(key);
    if (current === undefined || taintsFor(current, now) === undefined) return;
    await this.#client.modify<NodeObject>('nodes', '', key, (draft) => {
      const taints = taintsFor(draft, now);
      if (taints === undefined) return undefined;
      const { taints: _before, ...rest } = draft.spec ?? {};
      return { ...draft, spec: { ...rest, ...(taints.length > 0 ? { taints: [...taints] } : {}) } };
    });
  }

  async #checkHealth(key: string): Promise<void> {
    const node = this.#node(key);
    if (node === undefined) return;
    const now = this.#context.clock.now();
    const lease = this.#context.view.get<LeaseObject>('coordination.k8s.io/leases', 'kube-node-lease', key);
    const last = this.#sightings.get(key);
    const { sighting, conditions, lost } = judgeNode(node, lease?.spec?.renewTime, last, this.#grace, now);
    this.#sightings.set(key, sighting);
    if (conditions === undefined) return;
    const status = { ...node.status, conditions: [...conditions] };
    await this.#client.update<NodeObject>('nodes', { ...node, status }, { subresource: 'status' });
    if (!lost) return;
    this.#events.event(node, 'Normal', 'NodeNotReady', `Node ${key} status is now: NodeNotReady`);
    for (const pod of this.#context.view.podsOnNode<PodObject>(key)) this.#podMarking.add(keyOf(pod));
  }

  async #markPod(key: string): Promise<void> {
    const { namespace, name: podName } = splitKey(key);
    const pod = this.#context.view.get<PodObject>('pods', namespace, podName);
    const node = pod && this.#node(pod.spec.nodeName ?? '');
    const ready = node && findCondition(node.status?.conditions, 'Ready');
    if (pod === undefined || ready === undefined || ready.status === 'True') return;
    const now = timestamp(this.#context.clock.now());
    const written = await ignoreGone(
      this.#client.modify<PodObject>('pods', namespace, podName, (draft) => withoutReady(draft, now), {
        subresource: 'status',
      }),
    );
    if (written !== undefined) this.#events.event(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
  }

  #node(key: string): NodeObject | undefined {
    return this.#context.view.get<NodeObject>('nodes', '', key);
  }
}

function nodeOf(pod: KubeObject): string {
  return (pod as PodObject).spec.nodeName ?? '';
}

function withoutReady(pod: PodObject, now: string): PodObject | undefined {
  const before = pod.status?.conditions ?? [];
  const conditions = before.map((condition) =>
    condition.type === 'Ready' && condition.status !== 'False'
      ? { ...condition, status: 'False', lastTransitionTime: now }
      : condition,
  );
  return sameJson(before, conditions) ? undefined : { ...pod, status: { ...pod.status, conditions } };
}

async function ignoreGone<T>(writing: Promise<T>): Promise<T | undefined> {
  try {
    return await writing;
  } catch (error) {
    if (isApiError(error, 404)) return undefined;
    throw error;
  }
}
