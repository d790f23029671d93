import { describe, expect, it } from 'vitest';
import { agentClusterRules, agentNamespaceRules } from '../../../src/operator/install/agent-rbac.ts';
import { clusterPermissions, namespacePermissions, type Permission } from '../../../src/operator/install/rbac-rules.ts';
import { defaultInstallValues } from '../../../src/operator/install/values.ts';
import { watchedKinds } from '../../../src/operator/owners/owner-kinds.ts';

function lines(permissions: readonly Permission[]): string[] {
  return permissions.map(({ rule }) => {
    const names = rule.resourceNames === undefined ? '' : ` only ${rule.resourceNames.join(',')}`;
    return `${rule.apiGroups?.join(',') || 'core'} ${rule.resources?.join(',')}: ${rule.verbs.join(',')}${names}`;
  });
}

describe('what the operator may do', () => {
  it('in the whole cluster is this and nothing else', () => {
    expect(lines(clusterPermissions(defaultInstallValues))).toEqual([
      'core pods: get,list,watch,delete',
      'core persistentvolumeclaims: get',
      'core namespaces: get,list,watch,patch',
      'core events: create,patch,update',
      'policy poddisruptionbudgets: get,list,watch',
      'policy poddisruptionbudgets/status: patch',
      'policy.kruise.io podunavailablebudgets: get,list,watch',
      'policy.kruise.io podunavailablebudgets/status: patch,update',
      'holdfast.dev disruptionledgers: get,list,watch,create,update,delete',
      'apps deployments,replicasets,daemonsets: get,list,watch',
      'apps statefulsets: get,list,watch,patch',
      'core replicationcontrollers: get,list,watch',
      'batch jobs,cronjobs: get,list,watch',
      'apps.kruise.io clonesets,statefulsets,daemonsets,leaderworkersets: get,list,watch',
      'argoproj.io rollouts: get,list,watch',
      '* */scale: get',
      'scheduling.k8s.io podgroups,workloads: get,list,watch',
      'scheduling.volcano.sh podgroups: get,list,watch',
      'scheduling.x-k8s.io podgroups: get,list,watch',
      'leaderworkerset.x-k8s.io leaderworkersets: get,list,watch',
      'jobset.x-k8s.io jobsets: get,list,watch',
      'ray.io rayclusters,rayjobs,rayservices: get,list,watch',
      'admissionregistration.k8s.io validatingwebhookconfigurations,mutatingwebhookconfigurations: get,list,watch',
      'admissionregistration.k8s.io validatingwebhookconfigurations,mutatingwebhookconfigurations: patch,update only holdfast',
    ]);
  });

  it('in its own namespace is this and nothing else', () => {
    const leases = [
      'coordination.k8s.io leases: get,list,watch',
      'coordination.k8s.io leases: create',
      'coordination.k8s.io leases: update,patch only holdfast-operator',
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
    expect(texts(agentClusterRules(defaultInstallValues))).toEqual(clusterWide);
    expect(texts(agentNamespaceRules)).toEqual(['coordination.k8s.io leases: get,create,update']);
  });

  it('is to run commands in containers only where somebody allows it', () => {
    const agent = { ...defaultInstallValues.agent, allowExec: true };
    expect(texts(agentClusterRules({ ...defaultInstallValues, agent }))).toEqual([
      ...clusterWide,
      'core pods/exec: create,get',
    ]);
  });
});
