import type { Fields } from '@holdfast/base/json';
import { agentName } from '../../api/installation-names.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { endedBy } from '../failures.ts';
import { foundOf, isOurs } from '../manifests/labelled.ts';
import { refText } from '../object-ref.ts';
import { done, type Ended, type Reporter } from '../outcome.ts';

/**
 * Rights of an earlier version that nothing uses any more, once every agent is of this one: it kept the leases of nodes in the operator's
 * namespace, beside what the operator leads and signs by. Other leftovers are for people to judge; a right is not left to them.
 */
const formerRights = [
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', name: agentName },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', name: agentName },
] as const;

/** To be called when no agent of an earlier version is left. */
export async function removeFormerRights(api: ClusterApi, namespace: string, report: Reporter): Promise<Ended> {
  for (const { name, ...kind } of formerRights) {
    const resource = await api.resourceOf(kind);
    if (!resource.ok) return endedBy(resource.failure, kind.kind).ended;
    const found = await api.find<Fields>(resource.value, { namespace, name });
    if (!found.ok) return endedBy(found.failure, `${kind.kind.toLowerCase()}/${name}`).ended;
    if (found.value === undefined || !isOurs(found.value)) continue;
    const { ref, uid } = foundOf(resource.value, found.value);
    const removed = await api.remove(resource.value, ref, uid, 'Background');
    if (removed.ok) report({ kind: 'object', ref, result: { kind: 'deleted' } });
    else if (removed.failure.kind === 'denied') report({ kind: 'note', text: unremoved(refText(ref), namespace) });
    else return endedBy(removed.failure, refText(ref)).ended;
  }
  return done;
}

function unremoved(what: string, namespace: string): string {
  return `${what} in namespace ${namespace} lets agents write leases there, as an earlier version needed, and you may not delete it: have it deleted`;
}
