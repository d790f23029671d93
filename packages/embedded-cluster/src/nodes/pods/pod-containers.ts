import type { Container } from 'kubernetes-types/core/v1.js';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { badRequest } from '../../errors.ts';

/** The container that a request is about. One that is not named is the only one, or the request is refused. */
export function chosenContainer(pod: PodObject, asked: string): string {
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const { name } = pod.metadata;
  if (asked === '') {
    const [only, ...more] = containers;
    if (only && more.length === 0) return only.name;
    throw badRequest(ambiguous(name, containers, initContainers));
  }
  const known = [...containers, ...initContainers, ...ephemeralContainers];
  if (!known.some((container) => container.name === asked)) {
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  return asked;
}

function ambiguous(pod: string, containers: readonly Container[], initContainers: readonly Container[]): string {
  const names = (list: readonly Container[]) => `[${list.map(({ name }) => name).join(' ')}]`;
  const choice = `a container name must be specified for pod ${pod}, choose one of: ${names(containers)}`;
  return initContainers.length === 0 ? choice : `${choice} or one of the init containers: ${names(initContainers)}`;
}
