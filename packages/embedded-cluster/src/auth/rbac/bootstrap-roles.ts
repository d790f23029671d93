import type { KubeObject } from '../../objects.ts';
import { authenticatedGroup, privilegedGroup, unauthenticatedGroup } from '../identities.ts';
import {
  authentication,
  authorization,
  controllerManagerRules,
  delegatorRules,
  editRules,
  nodeRules,
  proxierRules,
  readWrite,
  rule,
  schedulerRules,
  urls,
  viewRules,
  volumeSchedulerRules,
} from './bootstrap-rules.ts';
import { type PolicyRule, rbacGroup } from './rbac-objects.ts';

/** Label by which a role's rules flow into `admin`, `edit` or `view`. */
function flowsInto(role: string): Record<string, string> {
  return { [`${rbacGroup}/aggregate-to-${role}`]: 'true' };
}

const aggregationController = 'clusterrole-aggregation-controller';

const health = '/healthz /livez /readyz';

/** Roles with rules of their own. */
const roles: Readonly<Record<string, readonly PolicyRule[]>> = {
  'cluster-admin': [rule('*', '*', '*'), { verbs: ['*'], nonResourceURLs: ['*'] }],
  'system:discovery': [urls(`/api /api/* /apis /apis/* ${health} /openapi /openapi/* /version /version/`)],
  'system:public-info-viewer': [urls(`${health} /version /version/`)],
  'system:monitoring': [
    urls(`${health} /healthz/* /livez/* /readyz/* /metrics /metrics/slis`),
    rule('get', 'core', 'nodes/metrics'),
  ],
  'system:basic-user': [
    rule('create', authorization, 'selfsubjectaccessreviews selfsubjectrulesreviews'),
    rule('create', authentication, 'selfsubjectreviews'),
  ],
  'system:auth-delegator': delegatorRules,
  'system:node': nodeRules,
  'system:node-proxier': proxierRules,
  'system:kube-scheduler': schedulerRules,
  'system:volume-scheduler': volumeSchedulerRules,
  'system:kube-controller-manager': controllerManagerRules,
  [`system:controller:${aggregationController}`]: [
    rule('escalate get list patch update watch', rbacGroup, 'clusterroles'),
  ],
};

/** Roles whose rules flow into others. */
const contributing: Readonly<Record<string, readonly PolicyRule[]>> = {
  admin: [rule('create', authorization, 'localsubjectaccessreviews'), rule(readWrite, rbacGroup, 'rolebindings roles')],
  edit: editRules,
  view: viewRules,
};

/** What each collecting role flows into in its turn. */
const collecting = { admin: undefined, edit: 'admin', view: 'edit' } as const;

interface SubjectJson {
  readonly kind: string;
  readonly name: string;
  readonly apiGroup?: string;
  readonly namespace?: string;
}

function group(name: string): SubjectJson {
  return { apiGroup: rbacGroup, kind: 'Group', name };
}

function user(name: string): SubjectJson {
  return { apiGroup: rbacGroup, kind: 'User', name };
}

/** A binding is called like its role. */
const bindings: Readonly<Record<string, readonly SubjectJson[]>> = {
  'cluster-admin': [group(privilegedGroup)],
  'system:discovery': [group(authenticatedGroup)],
  'system:public-info-viewer': [group(authenticatedGroup), group(unauthenticatedGroup)],
  'system:monitoring': [group('system:monitoring')],
  'system:basic-user': [group(authenticatedGroup)],
  // Nodes are authorized by this role here: there is no authorizer of their own.
  'system:node': [group('system:nodes')],
  'system:node-proxier': [user('system:kube-proxy')],
  'system:kube-scheduler': [user('system:kube-scheduler')],
  'system:volume-scheduler': [user('system:kube-scheduler')],
  'system:kube-controller-manager': [user('system:kube-controller-manager')],
  [`system:controller:${aggregationController}`]: [
    { kind: 'ServiceAccount', name: aggregationController, namespace: 'kube-system' },
  ],
};

/** The roles and bindings that every cluster starts with. The rules of `admin`, `edit` and `view` are computed later. */
export function bootstrapRbac(): KubeObject[] {
  return [
    ...Object.entries(roles).map(([name, rules]) => clusterRole(name, {}, { rules })),
    ...Object.entries(contributing).map(([target, rules]) =>
      clusterRole(`system:aggregate-to-${target}`, flowsInto(target), { rules }),
    ),
    ...Object.entries(collecting).map(([name, target]) =>
      clusterRole(name, target === undefined ? {} : flowsInto(target), {
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: flowsInto(name) }] },
        rules: [],
      }),
    ),
    ...Object.entries(bindings).map(([name, subjects]) => clusterRoleBinding(name, subjects)),
  ];
}

function clusterRole(name: string, labels: Record<string, string>, content: Record<string, unknown>): KubeObject {
  return { apiVersion: `${rbacGroup}/v1`, kind: 'ClusterRole', metadata: metadata(name, labels), ...content };
}

function clusterRoleBinding(name: string, subjects: readonly SubjectJson[]): KubeObject {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: metadata(name, {}),
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name },
    subjects: [...subjects],
  };
}

function metadata(name: string, labels: Record<string, string>): KubeObject['metadata'] {
  return {
    name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
}
