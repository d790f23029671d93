import type { PodObject } from '../../controllers/common/workloads.ts';
import { annotationOf, sim } from '../annotations.ts';

/** Images that no registry has: with the tag `broken`, or that say of themselves that they are not there. */
function isMissingImage(image: string): boolean {
  return image.endsWith(':broken') || /does-not-exist|non-existent/.test(image);
}

/** The annotation takes all images away with `true`, or those of the containers that it lists. */
export function cannotPull(pod: PodObject, container: string, image: string): boolean {
  if (isMissingImage(image)) return true;
  const text = annotationOf(pod, sim.broken);
  if (text === undefined || text === 'false') return false;
  return text === '' || text === 'true' || text.split(',').some((name) => name.trim() === container);
}

export function pullFailure(image: string): string {
  return `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;
}
