/**
 * Annotations of pods are long, and most belong to other programs. Kept are those of the domains that the engine reads from; a test
 * watches what the engine asks for, so that none is forgotten.
 */
const domains: ReadonlySet<string> = new Set([
  'holdfast.dev',
  'pub.kruise.io',
  'leaderworkerset.sigs.k8s.io',
  'jobset.sigs.k8s.io',
  'rbg.workloads.x-k8s.io',
  'kueue.x-k8s.io',
  'scheduling.k8s.io',
  'scheduling.volcano.sh',
]);

/** Others of this domain are copies of whole specs. */
const single = 'apps.kruise.io/inplace-update-state';

export function keepPodAnnotation(key: string): boolean {
  return key === single || domains.has(key.slice(0, Math.max(0, key.indexOf('/'))));
}
