import { createHash } from 'node:crypto';

/** The lease of a node is called like it, as its heartbeat is in kube-node-lease: so an API server can compare the two. */
export function probeLeaseName(node: string): string {
  return node;
}

const digits = 16;

/** How agents of versions before 0.2 called it, in the operator's namespace. */
export function formerProbeLeaseName(node: string): string {
  return `holdfast-probe-${createHash('sha256').update(node).digest('hex').slice(0, digits)}`;
}
