import type { PolicyRule } from 'kubernetes-types/rbac/v1.js';
import { certificateSecret, electionLease, operatorName, pathSecret } from '../../api/installation-names.ts';
import { ledgerGroup } from '../../api/ledger.ts';
import { pubGroup } from '../../api/pub/pub.ts';
import { groupRights } from '../../core/groups/system-lists.ts';
import { kruiseGroup } from '../../core/owner.ts';
import { deletesPods, repairsRollouts } from '../values/switched-on.ts';
import type { InstallValues } from '../values/values.ts';

/** Something the operator may do, and what it could not do without. */
export interface Permission {
  readonly why: string;
  readonly rule: PolicyRule;
}

const read = ['get', 'list', 'watch'];
/** What is only followed. API servers without streaming lists want it listed first. */
const follow = ['list', 'watch'];

function permission(why: string, group: string, resources: string[], verbs: string[], names?: string[]): Permission {
  return {
    why,
    rule: {
      apiGroups: [group],
      resources,
      verbs: [...verbs],
      ...(names === undefined ? {} : { resourceNames: names }),
    },
  };
}

/** In the whole cluster, because what is protected is anywhere. */
export function clusterPermissions(values: InstallValues): readonly Permission[] {
  const { webhook } = values;
  const repairs = repairsRollouts(values);
  return [
    permission('counts the pods of budgets', '', ['pods'], read),
    ...when(
      deletesPods(values),
      permission('completes evictions and repairs rollouts by deleting', '', ['pods'], ['delete']),
    ),
    ...when(
      repairs,
      permission(
        'sees whether a claim would be lost with a pod, before it repairs a rollout by deleting that',
        '',
        ['persistentvolumeclaims'],
        ['get'],
      ),
    ),
    permission(
      'knows which namespaces are guarded or going, and labels those that have something to protect',
      '',
      ['namespaces'],
      [...read, 'patch'],
    ),
    permission('tells people what happened', '', ['events'], ['create', 'patch']),
    permission('reads budgets', 'policy', ['poddisruptionbudgets'], read),
    permission(
      'shows in the condition of a budget whether a disruption is allowed, and counts the evictions that it completes',
      'policy',
      ['poddisruptionbudgets/status'],
      ['patch'],
    ),
    permission('reads budgets', pubGroup, ['podunavailablebudgets'], follow),
    permission('publishes the numbers of a budget', pubGroup, ['podunavailablebudgets/status'], ['patch', 'update']),
    permission(
      'keeps reservations, one ledger in each guarded namespace',
      ledgerGroup,
      ['disruptionledgers'],
      [...read, 'create', 'update'],
    ),
    permission(
      'knows how many pods there should be',
      'apps',
      ['deployments', 'replicasets', 'daemonsets', 'statefulsets'],
      read,
    ),
    // Only the status: an account that may patch a StatefulSet itself can run any program as any account of its namespace.
    ...when(
      repairs,
      permission(
        'notes the state of a rollout that it repairs, in an annotation',
        'apps',
        ['statefulsets/status'],
        ['patch'],
      ),
    ),
    permission('knows how many pods there should be', '', ['replicationcontrollers'], read),
    permission('knows how many pods there should be', 'batch', ['jobs', 'cronjobs'], read),
    permission(
      'knows how many pods and groups there should be',
      kruiseGroup,
      [
        'clonesets',
        'statefulsets',
        'daemonsets',
        ...groupRights.filter(isKruise).flatMap(({ resources }) => resources),
      ],
      read,
    ),
    permission('knows how many pods there should be', 'argoproj.io', ['rollouts'], read),
    permission(
      'reads the scale of owners of any kind that says how many pods there should be',
      '*',
      ['*/scale'],
      ['get'],
    ),
    ...groupRights
      .filter((right) => !isKruise(right))
      .map(({ why, group, resources, verbs }) => permission(why, group, [...resources], [...verbs])),
    ...values.ownerKinds.map(({ group, resource }) =>
      permission('knows how many pods there should be', group, [resource], read),
    ),
    permission(
      'sees foreign webhooks on evictions, beside which it must not complete them',
      'admissionregistration.k8s.io',
      [...configurations],
      read,
    ),
    permission(
      'fills in whom API servers are to trust and the path that proves them, in its own configurations only',
      'admissionregistration.k8s.io',
      [...configurations],
      ['update'],
      [operatorName],
    ),
    ...(webhook.bearer === undefined
      ? []
      : [permission('checks the tokens of API servers', 'authentication.k8s.io', ['tokenreviews'], ['create'])]),
  ];
}

/** Rights on kinds of groups that are among OpenKruise's other workloads are in the rule about those. */
function isKruise({ group }: { readonly group: string }): boolean {
  return group === kruiseGroup;
}

const configurations = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'] as const;

function when(isOn: boolean, ...permissions: readonly Permission[]): readonly Permission[] {
  return isOn ? permissions : [];
}

/** In the namespace of the agents' leases. */
export const agentsNamespacePermissions: readonly Permission[] = [
  permission('sees the probe agents renew their leases', 'coordination.k8s.io', ['leases'], follow),
];

/** In its own namespace. */
export function namespacePermissions({ certificates }: InstallValues): readonly Permission[] {
  return [
    permission(
      'elects a leader; sees probe agents of an earlier version renew their leases',
      'coordination.k8s.io',
      ['leases'],
      read,
    ),
    // A create cannot be limited to a name: the name is only in what is created.
    permission('elects a leader', 'coordination.k8s.io', ['leases'], ['create']),
    permission('elects a leader', 'coordination.k8s.io', ['leases'], ['update'], [electionLease]),
    permission('makes the certificates and the paths of its webhooks', '', ['secrets'], ['create']),
    permission(
      'renews the certificates and the paths of its webhooks, and sees another replica renew them',
      '',
      ['secrets'],
      [...read, 'update'],
      [certificates.source === 'own' ? certificateSecret : pathSecret],
    ),
  ];
}
