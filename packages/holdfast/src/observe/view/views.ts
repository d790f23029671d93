import type { Namespace } from '@holdfast/base/meta';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { PodUnavailableBudget } from '../../api/pub/pub.ts';
import type { ObjectCache } from '../../kube/reflector/cache.ts';

/** Objects that are needed as they are, beside what the world made of them: their writers compare first. */
export interface Views {
  readonly namespaces: ObjectCache<Namespace>;
  readonly pdbs: ObjectCache<PodDisruptionBudget>;
  readonly pubs: ObjectCache<PodUnavailableBudget>;
}
