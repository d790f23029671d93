import type { Namespace } from '@holdfast/base/meta';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import type { PodUnavailableBudget } from '../../api/pub/pub.ts';
import type { ObjectCache } from '../../kube/reflector/cache.ts';

/** Whole objects, beside what the world keeps of them: controllers compare with them before they write, so that they write only changes. */
export interface Views {
  readonly namespaces: ObjectCache<Namespace>;
  readonly pdbs: ObjectCache<PodDisruptionBudget>;
  readonly pubs: ObjectCache<PodUnavailableBudget>;
}
