/** The kinds that the synthetic API server has, and what it says about them. */

export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

const kind = (api: string, plural: string, name: string, namespaced = true): Kind => {
  const [group, version] = api.includes('/') ? api.split('/') : ['', api];
  return { group: group ?? '', version: version ?? '', plural, kind: name, namespaced };
};

export const kinds = {
  namespaces: kind('v1', 'namespaces', 'Namespace', false),
  pods: kind('v1', 'pods', 'Pod'),
  secrets: kind('v1', 'secrets', 'Secret'),
  replicationcontrollers: kind('v1', 'replicationcontrollers', 'ReplicationController'),
  deployments: kind('apps/v1', 'deployments', 'Deployment'),
  replicasets: kind('apps/v1', 'replicasets', 'ReplicaSet'),
  statefulsets: kind('apps/v1', 'statefulsets', 'StatefulSet'),
  daemonsets: kind('apps/v1', 'daemonsets', 'DaemonSet'),
  jobs: kind('batch/v1', 'jobs', 'Job'),
  pdbs: kind('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget'),
  pubs: kind('policy.kruise.io/v1beta1', 'podunavailablebudgets', 'PodUnavailableBudget'),
  ledgers: kind('holdfast.dev/v1alpha1', 'disruptionledgers', 'DisruptionLedger'),
  leases: kind('coordination.k8s.io/v1', 'leases', 'Lease'),
  events: kind('v1', 'events', 'Event'),
  validating: kind(
    'admissionregistration.k8s.io/v1',
    'validatingwebhookconfigurations',
    'ValidatingWebhookConfiguration',
    false,
  ),
  mutating: kind(
    'admissionregistration.k8s.io/v1',
    'mutatingwebhookconfigurations',
    'MutatingWebhookConfiguration',
    false,
  ),
} as const;

export interface Target {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

export function apiVersionOf({ group, version }: Kind): string {
  return group === '' ? version : `${group}/${version}`;
}

const byCollection = new Map(Object.values(kinds).map((one) => [`${apiVersionOf(one)}/${one.plural}`, one]));

/** What a path is about. Undefined: no kind that is here. */
export function targetOf(path: string): Target | undefined {
  const [, root, ...rest] = path.split('/').map(decodeURIComponent);
  const api = root === 'api' ? rest.splice(0, 1) : rest.splice(0, 2);
  const namespace = rest[0] === 'namespaces' && rest.length > 2 ? rest.splice(0, 2)[1] : undefined;
  const found = byCollection.get(`${api.join('/')}/${rest[0] ?? ''}`);
  return found === undefined ? undefined : { kind: found, namespace, name: rest[1], subresource: rest[2] };
}

/** The documents below /api and /apis. */
export function discoveryOf(path: string): object | undefined {
  const [, root, ...rest] = path.split('/');
  if (root !== 'api' && root !== 'apis') return undefined;
  const all = Object.values(kinds);
  if (root === 'apis' && rest.length === 1) {
    const found = all.find(({ group }) => group === rest[0]);
    if (found === undefined) return undefined;
    const version = { groupVersion: apiVersionOf(found), version: found.version };
    return { kind: 'APIGroup', apiVersion: 'v1', name: found.group, versions: [version], preferredVersion: version };
  }
  const groupVersion = rest.join('/');
  const resources = all.filter((one) => apiVersionOf(one) === groupVersion).flatMap(resourcesOf);
  return resources.length === 0 ? undefined : { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

function resourcesOf({ plural, kind: name, namespaced }: Kind): object[] {
  const resource = { name: plural, singularName: '', namespaced, kind: name, verbs };
  return [resource, { ...resource, name: `${plural}/status`, verbs: ['get', 'patch', 'update'] }];
}
