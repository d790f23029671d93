import { createHash } from 'node:crypto';

const digits = 16;

/** A node's name may be as long as a name can be, so that nothing could be put before it: its digest can. */
export function probeLeaseName(node: string): string {
  return `holdfast-probe-${createHash('sha256').update(node).digest('hex').slice(0, digits)}`;
}
