import type { ClusterRoleBinding } from 'kubernetes-types/rbac/v1.js';
import { operatorName } from '../../api/installation-names.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { endedBy, refusedWith } from '../failures.ts';
import { done, type Ended } from '../outcome.ts';
import { installedIn } from './foreign.ts';

const bindings = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterrolebindings',
  namespaced: false,
} as const;

/** Cluster-wide objects are shared: a second installation would take them from the first. */
export async function elsewhere(api: ClusterApi, namespace: string): Promise<Ended> {
  const found = await api.find<ClusterRoleBinding>(bindings, { namespace: undefined, name: operatorName });
  if (!found.ok) return endedBy(found.failure, `clusterrolebinding/${operatorName}`).ended;
  const where = installedIn(found.value);
  if (where === undefined || where === namespace) return done;
  const advice = `Use --namespace ${where}, or remove that installation first: holdfast uninstall --namespace ${where}`;
  return refusedWith(`Holdfast is installed in namespace ${where}, not in ${namespace}`, advice).ended;
}
