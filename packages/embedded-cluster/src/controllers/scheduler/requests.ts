import type { Container, PodSpec, ResourceRequirements } from 'kubernetes-types/core/v1.js';
import { addAmounts, type ResourceAmounts, raiseAmounts, readAmounts } from './amounts.ts';

/** Newer than the published types: resources for the pod as a whole. */
type SpecWithResources = PodSpec & { resources?: ResourceRequirements };

type AmountList = 'requests' | 'limits';

/** What a pod takes of its node. */
export function podRequests(spec: PodSpec): ResourceAmounts {
  return podAmounts(spec, 'requests');
}

/**
 * What a pod asks for, or is limited to, as a whole. Init containers run one after the other before the others, except those that restart:
 * they stay, next to all that come after them.
 */
export function podAmounts(spec: PodSpec, list: AmountList): ResourceAmounts {
  const amountsOf = (container: Container) => readAmounts(container.resources?.[list]);
  const running = new Map<string, number>();
  for (const container of spec.containers) addAmounts(running, amountsOf(container));
  const staying = new Map<string, number>();
  const highest = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      addAmounts(running, amountsOf(container));
      addAmounts(staying, amountsOf(container));
      raiseAmounts(highest, staying);
    } else {
      const together = new Map(staying);
      addAmounts(together, amountsOf(container));
      raiseAmounts(highest, together);
    }
  }
  raiseAmounts(running, highest);
  for (const [resource, amount] of readAmounts((spec as SpecWithResources).resources?.[list])) {
    running.set(resource, amount);
  }
  for (const [resource, amount] of readAmounts(spec.overhead)) {
    // What is not limited stays unlimited.
    if (list === 'requests' || running.has(resource)) addAmounts(running, new Map([[resource, amount]]));
  }
  return running;
}
