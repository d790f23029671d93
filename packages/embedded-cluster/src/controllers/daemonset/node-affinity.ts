/** Whether a node's labels and name meet what a pod requires of its node. */

import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from 'kubernetes-types/core/v1.js';
import type { NodeObject } from '../common/workloads.ts';

export function meetsNodeRequirements(spec: PodSpec, node: NodeObject): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) {
    if (!Object.hasOwn(labels, key) || labels[key] !== value) return false;
  }
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => meetsTerm(term, node));
}

/** A term without requirements selects no node. */
function meetsTerm(term: NodeSelectorTerm, node: NodeObject): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length === 0 && fields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return (
    expressions.every((one) => meets(one, Object.hasOwn(labels, one.key) ? labels[one.key] : undefined)) &&
    fields.every((one) => meets(one, one.key === 'metadata.name' ? node.metadata.name : undefined))
  );
}

function meets({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return compared(value, values[0], (left, right) => left > right);
    case 'Lt':
      return compared(value, values[0], (left, right) => left < right);
    default:
      return false;
  }
}

const integer = /^-?[0-9]{1,18}$/;

function compared(
  left: string | undefined,
  right: string | undefined,
  test: (l: bigint, r: bigint) => boolean,
): boolean {
  if (left === undefined || right === undefined || !integer.test(left) || !integer.test(right)) return false;
  return test(BigInt(left), BigInt(right));
}
