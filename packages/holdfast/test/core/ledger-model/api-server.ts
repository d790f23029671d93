import { ns } from '../../../../../test/support/builders.ts';
import type { DisruptionLedger } from '../../../src/api/ledger.ts';
import type { Pod } from '../../../src/api/pod.ts';
import type { World } from '../../../src/core/world/world.ts';

/** One change of the pod collection, in the order in which it happened. */
export interface PodEvent {
  readonly version: number;
  readonly type: 'set' | 'delete';
  readonly pod: Pod;
}

interface LivePod {
  readonly uid: string;
  readonly group: number;
  readonly worker: number;
  readonly size: number;
  version: number;
  ready: boolean;
  pending: boolean;
  terminating: boolean;
}

/**
 * The truth: pods, their history, and the ledger. Each resource has a counter of versions of its own, far from the other, because
 * an API server promises an order within one resource only, and may keep pods in an etcd of their own.
 */
export class ApiServer {
  readonly pods = new Map<string, LivePod>();
  readonly events: PodEvent[] = [];
  /** Budgets that came, changed and went, in this order, as a watch tells of them. */
  readonly budgetChanges: ((world: World) => void)[] = [];
  /** Of the pods. */
  version = 100;
  ledgerVersion: number;
  ledger: DisruptionLedger;
  #uids = 0;

  constructor(ledgerVersion: number) {
    this.ledgerVersion = ledgerVersion;
    const metadata = { name: 'default', namespace: ns, resourceVersion: String(ledgerVersion) };
    this.ledger = { metadata, spec: { reservations: [] } };
  }

  create(group: number, worker: number, size: number, ready: boolean): void {
    const name = `llm-${group}-${worker}`;
    this.#uids += 1;
    const uid = `uid-${this.#uids}`;
    this.pods.set(name, { uid, group, worker, size, version: 0, ready, pending: !ready, terminating: false });
    this.#changed(name);
  }

  /** Graceful deletion: what an eviction or a DELETE does. */
  terminate(name: string): void {
    const pod = this.pods.get(name);
    if (pod === undefined || pod.terminating) return;
    pod.terminating = true;
    this.#changed(name);
  }

  remove(name: string): void {
    const pod = this.pods.get(name);
    if (pod === undefined) return;
    this.version += 1;
    pod.version = this.version;
    this.pods.delete(name);
    this.events.push({ version: this.version, type: 'delete', pod: asObject(name, pod) });
  }

  /** A pod without probes is ready with the write that says that it runs; others run first (`inSteps`). */
  comeUp(name: string, inSteps = false): void {
    const pod = this.pods.get(name);
    if (pod === undefined) return;
    pod.ready = !(pod.pending && inSteps);
    pod.pending = false;
    this.#changed(name);
  }

  /** It runs, and is not ready. */
  fail(name: string): void {
    const pod = this.pods.get(name);
    if (pod === undefined) return;
    pod.ready = false;
    this.#changed(name);
  }

  /** Compare and swap. */
  writeLedger(next: DisruptionLedger): boolean {
    if (next.metadata.resourceVersion !== this.ledger.metadata.resourceVersion) return false;
    this.ledgerVersion += 1;
    this.ledger = { ...next, metadata: { ...next.metadata, resourceVersion: String(this.ledgerVersion) } };
    return true;
  }

  #changed(name: string): void {
    const pod = this.pods.get(name);
    if (pod === undefined) return;
    this.version += 1;
    pod.version = this.version;
    this.events.push({ version: this.version, type: 'set', pod: asObject(name, pod) });
  }
}

function asObject(name: string, pod: LivePod): Pod {
  return {
    metadata: {
      name,
      namespace: ns,
      uid: pod.uid,
      resourceVersion: String(pod.version),
      labels: {
        app: 'llm',
        // The even groups are under a budget of their own as well.
        ...(pod.group % 2 === 0 ? { tier: 'even' } : {}),
        'leaderworkerset.sigs.k8s.io/name': 'llm',
        'leaderworkerset.sigs.k8s.io/group-index': String(pod.group),
      },
      annotations: { 'leaderworkerset.sigs.k8s.io/size': String(pod.size) },
      ...(pod.terminating ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { nodeName: 'node-1' },
    status: {
      phase: pod.pending ? 'Pending' : 'Running',
      conditions: [{ type: 'Ready', status: pod.ready ? 'True' : 'False' }],
    },
  };
}

/** Where the ledgers' counter begins: far below that of the pods, or far above. Comparing the two is a mistake either way. */
export function firstLedgerVersion(seed: number): number {
  return seed % 2 === 0 ? 1 : 1_000_000;
}
