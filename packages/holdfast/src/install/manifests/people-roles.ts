import type { ClusterRole } from 'kubernetes-types/rbac/v1.js';
import { commonLabels } from '../../api/installation-names.ts';
import { ledgerGroup } from '../../api/ledger.ts';
import { pubGroup } from '../../api/pub/pub.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const budgets = ['podunavailablebudgets'];

function aggregated(name: string, to: readonly string[], rules: NonNullable<ClusterRole['rules']>): ClusterRole {
  const labels = Object.fromEntries(to.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true']));
  return { apiVersion, kind: 'ClusterRole', metadata: { name, labels: { ...commonLabels, ...labels } }, rules };
}

/**
 * What the people of a namespace may do with our kinds: Kubernetes adds these rules to its roles `view`, `edit` and `admin`. Ledgers
 * are read, never written: a policy says the same to those who have every right.
 */
export const peopleRoles: readonly ClusterRole[] = [
  aggregated(
    'holdfast-view',
    ['view', 'edit', 'admin'],
    [
      {
        apiGroups: [pubGroup],
        resources: [...budgets, 'podunavailablebudgets/status'],
        verbs: ['get', 'list', 'watch'],
      },
      { apiGroups: [ledgerGroup], resources: ['disruptionledgers'], verbs: ['get', 'list', 'watch'] },
    ],
  ),
  aggregated(
    'holdfast-edit',
    ['edit', 'admin'],
    [
      {
        apiGroups: [pubGroup],
        resources: budgets,
        verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'],
      },
    ],
  ),
];
