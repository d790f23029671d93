import { describe, expect, it } from 'vitest';
import { agentClusterRules, agentNamespaceRules, agentRbacObjects } from '../../src/install/manifests/agent-rbac.ts';
import { clusterPermissions, namespacePermissions, type Permission } from '../../src/install/manifests/rbac-rules.ts';
import { defaultInstallValues, type InstallValues } from '../../src/install/values/values.ts';
import { watchedKinds } from '../../src/observe/owners/owner-kinds.ts';

function lines(permissions: readonly Permission[]): string[] {
  return permissions.map(({ rule }) => {
    const names = rule.resourceNames === undefined ? '' : ` only ${rule.resourceNames.join(',')}`;
    return `${rule.apiGroups?.join(',') || 'core'} ${rule.resources?.join(',')}: ${rule.verbs.join(',')}${names}`;
  });
}

describe('what the operator may do', () => {
  it('in the whole cluster is this and nothing else', () => {
    expect(lines(clusterPermissions(defaultInstallValues))).toEqual([
      'core pods: get,list,watch',
      'core pods: delete',
      'core persistentvolumeclaims: get',
      'core namespaces: get,list,watch,patch',
      'core events: create,patch',
      'policy poddisruptionbudgets: get,list,watch',
      'policy poddisruptionbudgets/status: patch',
      'policy.kruise.io podunavailablebudgets: list,watch',
      'policy.kruise.io podunavailablebudgets/status: patch,update',
      'holdfast.dev disruptionledgers: get,list,watch,create,update',
      'apps deployments,replicasets,daemonsets,statefulsets: get,list,watch',
      'apps statefulsets/status: patch',
      'core replicationcontrollers: get,list,watch',
      'batch jobs,cronjobs: get,list,watch',
      'apps.kruise.io clonesets,statefulsets,daemonsets,leaderworkersets: get,list,watch',
      'argoproj.io rollouts: get,list,watch',
      '* */scale: get',
      'scheduling.k8s.io podgroups,workloads: list,watch',
      'scheduling.volcano.sh podgroups: list,watch',
      'scheduling.x-k8s.io podgroups: list,watch',
      'leaderworkerset.x-k8s.io leaderworkersets: get,list,watch',
      'jobset.x-k8s.io jobsets: get,list,watch',
      'ray.io rayclusters,rayjobs,rayservices: get,list,watch',
      'admissionregistration.k8s.io validatingwebhookconfigurations,mutatingwebhookconfigurations: get,list,watch',
      'admissionregistration.k8s.io validatingwebhookconfigurations,mutatingwebhookconfigurations: update only holdfast',
    ]);
  });

  it('in its own namespace is this and nothing else', () => {
    const leases = [
      'coordination.k8s.io leases: get,list,watch',
      'coordination.k8s.io leases: create',
      'coordination.k8s.io leases: update only holdfast-operator',
    ];
    expect(lines(namespacePermissions(defaultInstallValues))).toEqual([
      ...leases,
      'core secrets: create',
      'core secrets: get,list,watch,update only holdfast-webhook-certificates',
    ]);
    const given = { ...defaultInstallValues, certificates: { source: 'cert-manager' } as const };
    expect(lines(namespacePermissions(given))).toEqual([
      ...leases,
      'core secrets: create',
      'core secrets: get,list,watch,update only holdfast-webhook-paths',
    ]);
  });

  it('[I13] is to check tokens only where API servers show them', () => {
    const rule = 'authentication.k8s.io tokenreviews: create';
    const { webhook } = defaultInstallValues;
    const bearing = { ...defaultInstallValues, webhook: { ...webhook, bearer: ['api-server'] } };
    expect(lines(clusterPermissions(defaultInstallValues))).not.toContain(rule);
    expect(lines(clusterPermissions(bearing))).toContain(rule);
  });

  it('follows what is switched on', () => {
    const off = { EnforcedRollingUpdateInStatefulSet: false };
    const repairs = ['core persistentvolumeclaims: get', 'apps statefulsets/status: patch'];
    const of = (change: Partial<InstallValues>) => lines(clusterPermissions({ ...defaultInstallValues, ...change }));
    expect(of({})).toEqual(expect.arrayContaining(['core pods: delete', ...repairs]));
    expect(of({ takeover: 'off' })).toContain('core pods: delete');
    expect(of({ featureGates: off })).toContain('core pods: delete');
    for (const rule of repairs) expect(of({ featureGates: off })).not.toContain(rule);
    expect(of({ featureGates: off, takeover: 'off' })).not.toContain('core pods: delete');
  });

  it('has a reason each, and a kind that only this cluster has is read, no more', () => {
    const values = { ...defaultInstallValues, ownerKinds: [{ group: 'example.com', resource: 'farms' }] };
    const all = [...clusterPermissions(values), ...namespacePermissions(values)];
    expect(all.every(({ why }) => why.length > 10)).toBe(true);
    expect(lines(all)).toContain('example.com farms: get,list,watch');
  });
});

it('[O5] every kind that is watched by default may be read', () => {
  const plurals = new Map([['ReplicationController', 'replicationcontrollers']]);
  const readable = new Set(
    clusterPermissions(defaultInstallValues)
      .filter(({ rule }) => rule.verbs.includes('watch'))
      .flatMap(({ rule }) => (rule.resources ?? []).map((resource) => `${rule.apiGroups?.[0]}/${resource}`)),
  );
  for (const { group, kind } of watchedKinds) {
    expect([...readable]).toContain(`${group}/${plurals.get(kind) ?? `${kind.toLowerCase()}s`}`);
  }
});

describe('what an agent may do', () => {
  const texts = (rules: readonly Permission['rule'][]) => lines(rules.map((rule) => ({ why: '', rule })));
  const clusterWide = [
    'core pods: get,list,watch',
    'core nodes: get',
    'core pods/status: patch',
    'core events: create,patch',
  ];

  it('is this and nothing else', () => {
    expect(texts(agentClusterRules)).toEqual(clusterWide);
    expect(texts(agentNamespaceRules)).toEqual(['coordination.k8s.io leases: get,create,update']);
    expect(JSON.stringify(agentRbacObjects(defaultInstallValues))).not.toContain('exec');
  });

  it('is to run commands in containers only in the namespaces that an administrator names', () => {
    const agent = { ...defaultInstallValues.agent, execNamespaces: ['shop', 'bank'] };
    const objects = agentRbacObjects({ ...defaultInstallValues, agent });
    const exec = objects.filter(({ metadata }) => metadata?.name === 'holdfast-agent-exec');
    expect(exec.map(({ kind, metadata }) => `${kind} ${metadata?.namespace ?? ''}`)).toEqual([
      'ClusterRole ',
      'RoleBinding shop',
      'RoleBinding bank',
    ]);
    expect(exec[0]).toMatchObject({ rules: [{ resources: ['pods/exec'], verbs: ['create', 'get'] }] });
  });
});
