import { annotation } from '../../api/names.ts';
import { groupAnnotationDomains } from '../../core/groups/system-lists.ts';

/**
 * Annotations of pods are long, and most belong to other programs. Kept are those of the domains that the engine reads from; a test
 * watches what the engine asks for, so that none is forgotten.
 */
const domains: ReadonlySet<string> = new Set(['holdfast.dev', 'pub.kruise.io', ...groupAnnotationDomains]);

/** Others of this domain are copies of whole specs. */
const single = annotation.kruiseInPlaceState;

export function keepPodAnnotation(key: string): boolean {
  return key === single || domains.has(key.slice(0, Math.max(0, key.indexOf('/'))));
}
