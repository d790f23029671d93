import type { OwnerReference, StringMap } from '../../packages/base/src/meta.ts';
import type { DisruptionLedger, Reservation } from '../../packages/holdfast/src/api/ledger.ts';
import { annotation } from '../../packages/holdfast/src/api/names.ts';
import type { PodDisruptionBudget } from '../../packages/holdfast/src/api/pdb.ts';
import type { Pod, PodPhase, PodSpec } from '../../packages/holdfast/src/api/pod.ts';
import type { PodUnavailableBudget, PodUnavailableBudgetSpec } from '../../packages/holdfast/src/api/pub/pub.ts';
import type { PodGroup, Workload } from '../../packages/holdfast/src/api/workload.ts';
import type { OwnerState } from '../../packages/holdfast/src/core/owner.ts';

/** The namespace of everything that does not say otherwise. */
export const ns = 'shop';

/** A running, ready pod on node-1, unless told otherwise. Every call returns a new builder, so that a base can be shared. */
export class PodBuilder {
  readonly #pod: Pod;

  constructor(pod: Pod) {
    this.#pod = pod;
  }

  build(): Pod {
    return this.#pod;
  }

  labels(labels: StringMap): PodBuilder {
    return this.#meta({ labels: { ...this.#pod.metadata.labels, ...labels } });
  }

  annotate(annotations: StringMap): PodBuilder {
    return this.#meta({ annotations: { ...this.#pod.metadata.annotations, ...annotations } });
  }

  /** Another pod like this one, with a uid of its own. */
  named(name: string): PodBuilder {
    return this.#meta({ name, uid: `uid-${name}` });
  }

  in(namespace: string): PodBuilder {
    return this.#meta({ namespace });
  }

  uid(uid: string): PodBuilder {
    return this.#meta({ uid });
  }

  version(resourceVersion: string): PodBuilder {
    return this.#meta({ resourceVersion });
  }

  generation(generation: number, observed: number): PodBuilder {
    return this.#meta({ generation }).#status({ observedGeneration: observed });
  }

  ownedBy(owner: OwnerReference | OwnerState): PodBuilder {
    const { apiVersion, kind, name, uid } = owner;
    return this.#meta({ ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] });
  }

  /** Owned by one more, who is not its controller. */
  alsoOwnedBy({ apiVersion, kind, name, uid }: OwnerState): PodBuilder {
    const others = this.#pod.metadata.ownerReferences ?? [];
    return this.#meta({ ownerReferences: [...others, { apiVersion, kind, name, uid }] });
  }

  /** Without an owner, or with one that is not its controller. */
  unowned(...bystanders: readonly OwnerReference[]): PodBuilder {
    return this.#meta({ ownerReferences: bystanders });
  }

  /** In a native gang of 1.36 or later: the PodGroup object is another matter. */
  inPodGroup(podGroupName: string): PodBuilder {
    return this.spec({ schedulingGroup: { podGroupName } });
  }

  /** The image ids that its containers run. */
  runs(imageIDs: StringMap): PodBuilder {
    return this.#status({ containerStatuses: Object.entries(imageIDs).map(([name, imageID]) => ({ name, imageID })) });
  }

  on(nodeName: string): PodBuilder {
    return this.spec({ nodeName });
  }

  /** No scheduler has found a node for it. */
  unscheduled(): PodBuilder {
    const { nodeName: _, ...spec } = this.#pod.spec ?? {};
    return new PodBuilder({ ...this.#pod, spec });
  }

  spec(spec: Partial<PodSpec>): PodBuilder {
    return new PodBuilder({ ...this.#pod, spec: { ...this.#pod.spec, ...spec } });
  }

  phase(phase: PodPhase): PodBuilder {
    return this.#status({ phase });
  }

  /** These conditions, and no others. */
  conditions(conditions: NonNullable<NonNullable<Pod['status']>['conditions']>): PodBuilder {
    return this.#status({ conditions });
  }

  notReady(): PodBuilder {
    return this.#condition('Ready', 'False');
  }

  terminating(...finalizers: readonly string[]): PodBuilder {
    return this.#meta({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      ...(finalizers.length === 0 ? {} : { finalizers }),
    });
  }

  /** With a disruption probe that says yes, no, or nothing yet. */
  probed(disruptable: 'True' | 'False' | 'unanswered', reason?: string): PodBuilder {
    const probed = this.annotate({ [annotation.disruptionProbe]: '{"httpGet":{"port":8080}}' });
    return disruptable === 'unanswered' ? probed : probed.#condition('Disruptable', disruptable, reason);
  }

  /** A pod of a LeaderWorkerSet's group, with the labels and annotations that the real controller sets. */
  lws(name: string, group: number, worker: number, size: number): PodBuilder {
    return this.labels({
      'leaderworkerset.sigs.k8s.io/name': name,
      'leaderworkerset.sigs.k8s.io/group-index': String(group),
      'leaderworkerset.sigs.k8s.io/worker-index': String(worker),
    }).annotate({ 'leaderworkerset.sigs.k8s.io/size': String(size) });
  }

  #meta(meta: Partial<Pod['metadata']>): PodBuilder {
    return new PodBuilder({ ...this.#pod, metadata: { ...this.#pod.metadata, ...meta } });
  }

  #status(status: Partial<NonNullable<Pod['status']>>): PodBuilder {
    return new PodBuilder({ ...this.#pod, status: { ...this.#pod.status, ...status } });
  }

  #condition(type: string, status: 'True' | 'False', reason?: string): PodBuilder {
    const others = this.#pod.status?.conditions?.filter((one) => one.type !== type) ?? [];
    const said = reason === undefined ? { type, status } : { type, status, reason };
    return this.#status({ conditions: [...others, said] });
  }
}

export function aPod(name: string): PodBuilder {
  return new PodBuilder({
    metadata: { name, namespace: ns, uid: `uid-${name}`, resourceVersion: '10' },
    spec: { nodeName: 'node-1', containers: [{ name: 'main' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });
}

export function aPdb(
  name: string,
  selector: StringMap,
  spec: Partial<NonNullable<PodDisruptionBudget['spec']>>,
  annotations: StringMap = {},
): PodDisruptionBudget {
  return {
    metadata: { name, namespace: ns, annotations, generation: 1 },
    spec: { selector: { matchLabels: selector }, ...spec },
  };
}

/** A PDB whose groups are those of the known conventions, or of a label key. */
export function aGroupPdb(
  name: string,
  selector: StringMap,
  spec: Partial<NonNullable<PodDisruptionBudget['spec']>>,
  groupLabel?: string,
): PodDisruptionBudget {
  return aPdb(name, selector, spec, {
    [annotation.budgetScope]: 'PodGroup',
    ...(groupLabel === undefined ? {} : { [annotation.groupLabel]: groupLabel }),
  });
}

/** Processed: its observed generation is its generation. */
export function aPub(name: string, spec: PodUnavailableBudgetSpec, annotations: StringMap = {}): PodUnavailableBudget {
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    metadata: { name, namespace: ns, generation: 1, annotations },
    spec,
    status: { observedGeneration: 1 },
  };
}

export function anOwner(kind: string, name: string, replicas?: number, more: Partial<OwnerState> = {}): OwnerState {
  return {
    apiVersion: apiVersions[kind] ?? 'example.com/v1',
    kind,
    namespace: ns,
    name,
    uid: `uid-${kind}-${name}`,
    ...(replicas === undefined ? {} : { replicas }),
    ...more,
  };
}

const apiVersions: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  ReplicaSet: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  Job: 'batch/v1',
  LeaderWorkerSet: 'leaderworkerset.x-k8s.io/v1',
};

/** A Deployment with its ReplicaSets, of which the first is the newest and has the whole scale. */
export function aDeployment(name: string, replicas: number, hashes: readonly string[] = ['a']): readonly OwnerState[] {
  const deployment = anOwner('Deployment', name, replicas);
  const sets = hashes.map((hash, i) =>
    anOwner('ReplicaSet', `${name}-${hash}`, i === 0 ? replicas : 0, { controller: refTo(deployment) }),
  );
  return [deployment, ...sets];
}

export function refTo(owner: OwnerState): OwnerReference {
  const { apiVersion, kind, name, uid } = owner;
  return { apiVersion, kind, name, uid, controller: true };
}

/** A gang of 1.37. */
export function aPodGroup(
  name: string,
  minCount: number | undefined,
  workload?: string,
  template = 'worker',
): PodGroup {
  return {
    apiVersion: 'scheduling.k8s.io/v1beta1',
    metadata: { name, namespace: ns },
    spec: {
      schedulingPolicy: minCount === undefined ? { basic: {} } : { gang: { minCount } },
      ...(workload === undefined ? {} : { workloadRef: { workloadName: workload, templateName: template } }),
    },
  };
}

/** The KEP's own Workload. */
export function aWorkload(name: string, podGroup: string, minCount: number, replicas?: number): Workload {
  return {
    metadata: { name, namespace: ns },
    spec: {
      podGroups: [{ name: podGroup, policy: { gang: { minCount } }, ...(replicas === undefined ? {} : { replicas }) }],
    },
  };
}

export function aLedger(
  reservations: readonly Reservation[] = [],
  watermark?: string,
  resourceVersion = '1',
): DisruptionLedger {
  return {
    metadata: { name: 'default', namespace: ns, resourceVersion },
    spec: { reservations, ...(watermark === undefined ? {} : { watermark }) },
  };
}

export function aReservation(
  pod: string,
  operation: Reservation['operation'] = 'EVICT',
  more: Partial<Reservation> = {},
): Reservation {
  return { pod, uid: `uid-${pod}`, operation, time: new Date(0).toISOString(), view: '100', ...more };
}
