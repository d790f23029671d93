import type { Container, PodSpec, ResourceRequirements } from 'kubernetes-types/core/v1.js';
import { addAmounts, type ResourceAmounts, raiseAmounts, readAmounts } from './amounts.ts';

/** Newer than the published types: resources for the pod as a whole. */
type SpecWithResources = PodSpec & { resources?: ResourceRequirements };

/**
 * What a pod takes of its node. Init containers run one after the other before the others, except those that restart:
 * they stay, next to all that come after them.
 */
export function podRequests(spec: PodSpec): ResourceAmounts {
  const running = new Map<string, number>();
  for (const container of spec.containers) addAmounts(running, requestsOf(container));
  const staying = new Map<string, number>();
  const highest = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      addAmounts(running, requestsOf(container));
      addAmounts(staying, requestsOf(container));
      raiseAmounts(highest, staying);
    } else {
      const together = new Map(staying);
      addAmounts(together, requestsOf(container));
      raiseAmounts(highest, together);
    }
  }
  raiseAmounts(running, highest);
  for (const [resource, amount] of readAmounts((spec as SpecWithResources).resources?.requests)) {
    running.set(resource, amount);
  }
  addAmounts(running, readAmounts(spec.overhead));
  return running;
}

function requestsOf(container: Container): ResourceAmounts {
  return readAmounts(container.resources?.requests);
}
