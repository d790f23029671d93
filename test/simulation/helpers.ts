import { adminUser } from '../../packages/embedded-cluster/src/auth/kubeconfig.ts';
import type { Client } from '../../packages/embedded-cluster/src/client.ts';
import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import { probeLeaseAnnotations, probeLeaseLabels } from '../../packages/holdfast/src/api/probe-lease.ts';
import { probeLeaseName } from '../../packages/holdfast/src/kube/probes/lease-name.ts';
import { agentsNamespace } from '../../packages/holdfast/src/api/installation-names.ts';
import { namespace, updateGate } from './objects.ts';
import { gateOf } from './pod-updates.ts';
import type { Stack } from './stack.ts';

/** Processes beside the operator that the pods of some scenarios need: they live in the API server's own room, and no network parts them. */

interface Conditions {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const leases = 'coordination.k8s.io/leases';
/** An agent renews its lease four times in the time that it lasts. */
const renewMs = 5_000;
const leaseSeconds = 20;

/** The agents of all nodes: they answer for the probes of their pods with a condition and with the lease of the node. */
export class ProbeAgents {
  readonly #stack: Stack;
  readonly #client: Client;
  readonly #unwilling = new Set<string>();
  readonly #dead = new Set<string>();

  constructor(stack: Stack) {
    this.#stack = stack;
    this.#client = stack.cluster.plane.clientFor(adminUser, 'agent');
  }

  start(): void {
    this.#tick();
  }

  /** The probe of a pod says that it cannot be lost now, or that it can. */
  answer(uid: string, disruptable: boolean): void {
    if (disruptable) this.#unwilling.delete(uid);
    else this.#unwilling.add(uid);
  }

  /** The agent of a node is killed for a while. */
  kill(node: string, ms: number): void {
    this.#dead.add(node);
    this.#stack.clock.after(ms, () => this.#dead.delete(node));
  }

  recover(): void {
    this.#dead.clear();
    this.#unwilling.clear();
  }

  #tick(): void {
    void this.#look().catch(() => undefined);
    this.#stack.clock.after(renewMs, () => this.#tick());
  }

  async #look(): Promise<void> {
    const pods = this.#stack.cluster.plane.view.list<KubeObject>('pods', namespace);
    const byNode = new Map<string, KubeObject[]>();
    for (const pod of pods) {
      const node = (pod['spec'] as { readonly nodeName?: string }).nodeName;
      if (node !== undefined) byNode.set(node, [...(byNode.get(node) ?? []), pod]);
    }
    for (const [node, some] of byNode) if (!this.#dead.has(node)) await this.#answerFor(node, some);
  }

  /** What can be lost is listed after its condition says so, and what cannot before. */
  async #answerFor(node: string, pods: readonly KubeObject[]): Promise<void> {
    const willing = pods.filter((pod) => !this.#unwilling.has(pod.metadata.uid ?? ''));
    await this.#list(node, willing);
    for (const pod of pods) {
      const isWilling = willing.includes(pod);
      const type = 'Disruptable';
      if (conditionOf(pod, type) !== (isWilling ? 'True' : 'False'))
        await setCondition(this.#client, pod.metadata.name, type, isWilling);
    }
  }

  async #list(node: string, pods: readonly KubeObject[]): Promise<void> {
    const at = new Date(this.#stack.clock.now()).toISOString();
    const holder = `agent-of-${node}`;
    const annotations = probeLeaseAnnotations(
      node,
      holder,
      pods.map(({ metadata }) => metadata.uid ?? ''),
    );
    const place = { name: probeLeaseName(node), namespace: agentsNamespace };
    const spec = { holderIdentity: holder, leaseDurationSeconds: leaseSeconds, renewTime: at.replace('Z', '000Z') };
    const lease: KubeObject = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...place, labels: { ...probeLeaseLabels }, annotations: { ...annotations } },
      spec,
    };
    const isThere = this.#stack.cluster.plane.view.get(leases, place.namespace, place.name) !== undefined;
    if (!isThere) await this.#client.create(leases, lease);
    else
      await this.#client.modify<KubeObject>(leases, place.namespace, place.name, (draft) => ({
        ...draft,
        metadata: { ...draft.metadata, annotations: { ...annotations } },
        spec,
      }));
  }
}

/** Puts pods with the gate of updates in place into service when they are new. */
export function openGates(stack: Stack): void {
  const { plane } = stack.cluster;
  const client = plane.clientFor(adminUser, 'kruise');
  plane.registry.store.subscribe(({ resource, type, stored }) => {
    const pod = stored.object;
    if (resource !== 'pods' || type === 'DELETED' || !hasGate(pod) || gateOf(pod) !== undefined) return;
    stack.clock.after(100, () => void setCondition(client, pod.metadata.name, updateGate, true).catch(() => undefined));
  });
}

export function hasGate(pod: KubeObject): boolean {
  const spec = pod['spec'] as { readonly readinessGates?: readonly { readonly conditionType: string }[] };
  return spec.readinessGates?.some(({ conditionType }) => conditionType === updateGate) === true;
}

function conditionOf(pod: KubeObject, wanted: string): string | undefined {
  return (pod as Conditions).status?.conditions?.find(({ type }) => type === wanted)?.status;
}

async function setCondition(client: Client, name: string, type: string, is: boolean): Promise<void> {
  const status = is ? 'True' : 'False';
  const change = (draft: KubeObject): KubeObject | undefined => {
    if (conditionOf(draft, type) === status) return undefined;
    const others = ((draft as Conditions).status?.conditions ?? []).filter((one) => one.type !== type);
    const conditions = [...others, { type, status }];
    return { ...draft, status: { ...(draft['status'] as object), conditions } };
  };
  await client.modify<KubeObject>('pods', namespace, name, change, { subresource: 'status' });
}
