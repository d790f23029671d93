import type { JsonMap } from '../../packages/embedded-cluster/src/patch/json-tree.ts';
import { probeLeaseAnnotations, probeLeaseLabels } from '../../packages/holdfast/src/api/probe-lease.ts';
import { probeLeaseName } from '../../packages/holdfast/src/kube/probes/lease-name.ts';
import { probedPod, probeOf } from './pods.ts';

/** A cluster whose pods all have probes, spread over its nodes. */
export const fleetNodes = 5_000;
const podsEach = 10;
export const fleetPods = fleetNodes * podsEach;
const podsUnderBudget = 100;
export const fleetBudgets = fleetPods / podsUnderBudget;

const podNamespaces = 50;
const holder = 'agent_0';

const nodeName = (node: number) => `node-${node}`;
const uidOf = (pod: number) => `${pod.toString(16).padStart(8, '0')}-5d1e-4c3b-9a7f-00000000aaaa`;
const budgetOf = (pod: number) => Math.floor(pod / podsUnderBudget);
const namespaceOf = (budget: number) => `team-${budget % podNamespaces}`;

export interface Placed {
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonMap;
}

/** Pods of one budget are on different nodes, as schedulers place them. */
const nodeOf = (pod: number) => pod % fleetNodes;

export function* fleetPodObjects(): Iterable<Placed> {
  const probe = probeOf('httpGet', 8_008);
  for (let pod = 0; pod < fleetPods; pod += 1) {
    const object = probedPod(pod, nodeName(nodeOf(pod)), probe);
    const { metadata, status } = object as { metadata: JsonMap; status: { conditions: readonly JsonMap[] } };
    const disruptable = { type: 'Disruptable', status: 'True', reason: 'ProbeSucceeded' };
    yield {
      namespace: namespaceOf(budgetOf(pod)),
      name: `db-${pod}`,
      object: {
        ...object,
        metadata: { ...metadata, uid: uidOf(pod), labels: { app: `db-${budgetOf(pod)}` } },
        status: { ...status, conditions: [...status.conditions, disruptable] },
      },
    };
  }
}

export function* fleetBudgetObjects(): Iterable<Placed> {
  for (let budget = 0; budget < fleetBudgets; budget += 1) {
    const name = `db-${budget}`;
    const spec = { selector: { matchLabels: { app: name } }, minAvailable: podsUnderBudget / 2 };
    yield { namespace: namespaceOf(budget), name, object: { metadata: {}, spec } };
  }
}

export function fleetNamespaces(): readonly string[] {
  return Array.from({ length: podNamespaces }, (_, index) => `team-${index}`);
}

/** @param without leaves one pod out of its list */
export function fleetLease(node: number, renewTime: string, without: boolean): Omit<Placed, 'namespace'> {
  const pods = Array.from({ length: podsEach }, (_, index) => uidOf(node + index * fleetNodes));
  const annotations = probeLeaseAnnotations(nodeName(node), holder, without ? pods.slice(1) : pods);
  return {
    name: probeLeaseName(nodeName(node)),
    object: {
      metadata: { labels: { ...probeLeaseLabels }, annotations: { ...annotations } },
      spec: { holderIdentity: holder, leaseDurationSeconds: 40, leaseTransitions: 0, renewTime },
    },
  };
}
