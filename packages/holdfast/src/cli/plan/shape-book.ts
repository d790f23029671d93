import { type Fields, isObject } from '@holdfast/base/json';
import type { StringMap } from '@holdfast/base/meta';
import { meetsNodeRequirements, podRequests, readAmounts, untolerated } from '@holdfast/embedded-cluster/objects';
import type { PodSpec, Toleration } from 'kubernetes-types/core/v1.js';
import { defaultGraceSeconds, type PlanNode, type PodShape } from '../../core/plan/input.ts';

/** The taint that cordoning sets: it goes when the node comes back, and `unschedulable` says it already. */
const cordonTaint = 'node.kubernetes.io/unschedulable';

/** A node as a plan needs it. */
export function planNodeOf({ metadata, spec, status }: Fields): PlanNode {
  const meta = isObject(metadata) ? metadata : {};
  const { taints, unschedulable } = isObject(spec) ? spec : {};
  const { allocatable, capacity } = isObject(status) ? status : {};
  const amounts = isObject(allocatable) ? allocatable : isObject(capacity) ? capacity : {};
  return {
    name: String(meta['name']),
    labels: isObject(meta['labels']) ? (meta['labels'] as StringMap) : {},
    taints: (Array.isArray(taints) ? taints : []).filter(isTaint).filter(({ key }) => key !== cordonTaint),
    unschedulable: unschedulable === true,
    allocatable: readAmounts(amounts),
  };
}

function isTaint(value: unknown): value is PlanNode['taints'][number] {
  return isObject(value) && typeof value['key'] === 'string' && typeof value['effect'] === 'string';
}

/** What each pod asks of a node. Pods of one workload ask for the same, and share it. */
export class ShapeBook {
  readonly #shapes = new Map<string, PodShape>();
  readonly #byPod = new Map<string, PodShape>();

  add({ metadata, spec }: Fields): void {
    if (!isObject(metadata)) return;
    const { namespace, name } = metadata;
    this.#byPod.set(`${String(namespace ?? 'default')}/${String(name)}`, this.#shapeOf(isObject(spec) ? spec : {}));
  }

  shapeOf(namespace: string, pod: string): PodShape | undefined {
    return this.#byPod.get(`${namespace}/${pod}`);
  }

  #shapeOf(fields: Fields): PodShape {
    const spec = readable(fields);
    const { nodeSelector, affinity, tolerations = [], terminationGracePeriodSeconds: grace } = spec;
    const requests = podRequests(spec);
    const placing: PodSpec = {
      containers: [],
      ...(nodeSelector === undefined ? {} : { nodeSelector }),
      ...(affinity?.nodeAffinity === undefined ? {} : { affinity: { nodeAffinity: affinity.nodeAffinity } }),
    };
    const key = JSON.stringify([[...requests], placing, tolerations, grace]);
    let shape = this.#shapes.get(key);
    if (shape === undefined) {
      shape = { requests, graceSeconds: grace ?? defaultGraceSeconds, allows: allowing(placing, tolerations) };
      this.#shapes.set(key, shape);
    }
    return shape;
  }
}

/** Manifests are not checked against a schema; lists that are none are read as empty. */
function readable(spec: Fields): PodSpec {
  const list = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);
  const { containers, initContainers, tolerations } = spec;
  return {
    ...spec,
    containers: list(containers),
    initContainers: list(initContainers),
    tolerations: list(tolerations),
  } as unknown as PodSpec;
}

function allowing(spec: PodSpec, tolerations: readonly Toleration[]): PodShape['allows'] {
  return ({ name, labels, taints }) => {
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      spec: { taints: taints.map((taint) => ({ ...taint })) },
    };
    return meetsNodeRequirements(spec, node) && untolerated(node, tolerations).length === 0;
  };
}
