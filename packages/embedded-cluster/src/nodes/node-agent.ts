import type { LeaseSpec } from 'kubernetes-types/coordination/v1.js';
import type { Client } from '../client.ts';
import type { NodeObject } from '../controllers/common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler } from '../controllers/controller.ts';
import type { KubeObject } from '../objects.ts';
import type { Subscription } from '../store/store.ts';
import { microTimestamp } from '../time/clock.ts';
import type { ViewEvent } from '../view.ts';
import { isDown, isSimulated } from './annotations.ts';
import { addressOfNode } from './network/addresses.ts';
import { healthyStatus, isUnwell } from './node-status.ts';
import { WakeQueue } from './wake-queue.ts';

const leaseNamespace = 'kube-node-lease';
const leaseSeconds = 40;
const renewMs = 10_000;
const statusMs = 300_000;
const atOnce = 16;

type Lease = KubeObject & { spec?: LeaseSpec };

interface Beat {
  /** When its lease is to be renewed next. */
  readonly renewMs: number;
  /** When its status was written last. */
  readonly statusMs: number;
}

export interface NodeAgentOptions {
  readonly heartbeats: boolean;
  clientForNode(node: string): Client;
}

/** The address that a node is known by. */
export function nodeAddressOf(node: NodeObject): string {
  const addresses = node.status?.addresses ?? [];
  return addresses.find(({ type }) => type === 'InternalIP')?.address ?? addressOfNode(node.metadata.name);
}

/** The kubelets' word that their nodes are well: a lease each, and the conditions of the node. */
export class NodeAgent implements Controller {
  readonly #context: ControllerContext;
  readonly #options: NodeAgentOptions;
  readonly #reconciler: Reconciler;
  readonly #queue: WakeQueue;
  readonly #beats = new Map<string, Beat>();
  readonly #subscription: Subscription;

  constructor(context: ControllerContext, options: NodeAgentOptions) {
    this.#context = context;
    this.#options = options;
    this.#reconciler = new Reconciler(context, {
      name: 'simulated-nodes',
      concurrency: atOnce,
      reconcile: (name) => this.#reconcile(name),
    });
    this.#queue = new WakeQueue(context.clock, (name) => this.#reconciler.add(name));
    this.#subscription = context.view.watch('nodes', (event) => {
      if (isWorthALook(event)) this.#reconciler.add(event.object.metadata.name);
    });
  }

  stop(): void {
    this.#subscription.stop();
    this.#reconciler.stop();
    this.#queue.clear();
  }

  async #reconcile(name: string): Promise<undefined> {
    const { view, clock, random } = this.#context;
    const node = view.get<NodeObject>('nodes', '', name);
    if (!node || !isSimulated(node) || isDown(node)) {
      this.#beats.delete(name);
      this.#queue.delete(name);
      return;
    }
    const nowMs = clock.now();
    const beat = this.#beats.get(name);
    const statusDue = beat === undefined || nowMs - beat.statusMs >= statusMs || isUnwell(node);
    const leaseDue = this.#options.heartbeats && (beat === undefined || nowMs >= beat.renewMs);
    if (statusDue && (isUnwell(node) || this.#options.heartbeats)) await this.#writeStatus(node, nowMs);
    if (leaseDue) await this.#renew(node, nowMs);
    // The first round is shorter for some, so that the nodes' beats stay apart from then on.
    const wait = beat === undefined ? renewMs * (0.5 + random.next() / 2) : renewMs;
    const next = leaseDue ? nowMs + wait : (beat?.renewMs ?? 0);
    this.#beats.set(name, { renewMs: next, statusMs: statusDue ? nowMs : beat.statusMs });
    if (this.#options.heartbeats) this.#queue.set(name, next);
  }

  async #writeStatus(node: NodeObject, nowMs: number): Promise<void> {
    const client = this.#options.clientForNode(node.metadata.name);
    await client.modify<NodeObject>(
      'nodes',
      '',
      node.metadata.name,
      (draft) => ({ ...draft, status: healthyStatus(draft, nodeAddressOf(draft), nowMs) }),
      { subresource: 'status' },
    );
  }

  async #renew(node: NodeObject, nowMs: number): Promise<void> {
    const { name, uid = '' } = node.metadata;
    const client = this.#options.clientForNode(name);
    const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: microTimestamp(nowMs) };
    const resource = 'coordination.k8s.io/leases';
    if (this.#context.view.get<Lease>(resource, leaseNamespace, name)) {
      await client.modify<Lease>(resource, leaseNamespace, name, (draft) => ({
        ...draft,
        spec: { ...draft.spec, ...spec },
      }));
      return;
    }
    await client.create<Lease>(resource, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: leaseNamespace, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
      spec,
    });
  }
}

/** Most changes of a node are its own heartbeats. */
function isWorthALook({ type, object, previous }: ViewEvent): boolean {
  if (type !== 'MODIFIED' || !previous) return true;
  if (isDown(object) !== isDown(previous) || isSimulated(object) !== isSimulated(previous)) return true;
  return isSimulated(object) && isUnwell(object as NodeObject);
}
