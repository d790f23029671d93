import { obtain } from '../world/selector-index.ts';
import type { PlanNode, PodShape } from './input.ts';

const hostnameLabel = 'kubernetes.io/hostname';

/** Which shapes may run on which nodes, whatever room there is. Asked again and again, and worked out once. */
export class Permissions {
  readonly #known = new Map<PodShape, Map<PlanNode, boolean>>();
  readonly #twins = new Map<PlanNode, PlanNode>();

  allows(shape: PodShape, node: PlanNode): boolean {
    const byNode = obtain(this.#known, shape, () => new Map<PlanNode, boolean>());
    return obtain(byNode, node, () => shape.allows(node));
  }

  /** Whether it may run on the node that replaces this one: like it in everything but its name. */
  allowsOnTwin(shape: PodShape, node: PlanNode): boolean {
    const twin = obtain(this.#twins, node, () => {
      const { [hostnameLabel]: _, ...labels } = node.labels;
      return { ...node, labels, name: `replacement of ${node.name}`, unschedulable: false };
    });
    return this.allows(shape, twin);
  }
}
