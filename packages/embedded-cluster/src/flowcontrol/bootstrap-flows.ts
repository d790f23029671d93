import type { JsonObject, KubeObject } from '../objects.ts';

/** The flow schemas and priority levels that every cluster has. */
export function bootstrapFlows(): readonly KubeObject[] {
  return [...levels.map(levelObject), ...flows.map(flowObject)];
}

interface Level {
  readonly name: string;
  readonly shares: number;
  readonly lendable: number;
  /** How many requests wait where; undefined: none does. */
  readonly queues?: { readonly queues: number; readonly handSize: number };
}

const levels: readonly Level[] = [
  { name: 'exempt', shares: 0, lendable: 0 },
  { name: 'catch-all', shares: 5, lendable: 0 },
  { name: 'system', shares: 30, lendable: 33, queues: { queues: 64, handSize: 6 } },
  { name: 'node-high', shares: 40, lendable: 25, queues: { queues: 64, handSize: 6 } },
  { name: 'leader-election', shares: 10, lendable: 0, queues: { queues: 16, handSize: 4 } },
  { name: 'workload-high', shares: 40, lendable: 50, queues: { queues: 128, handSize: 6 } },
  { name: 'workload-low', shares: 100, lendable: 90, queues: { queues: 128, handSize: 6 } },
  { name: 'global-default', shares: 20, lendable: 50, queues: { queues: 128, handSize: 6 } },
];

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'true' };

function levelObject({ name, shares, lendable, queues }: Level): KubeObject {
  const share = { nominalConcurrencyShares: shares, lendablePercent: lendable };
  const limitResponse = queues ? { type: 'Queue', queuing: { ...queues, queueLengthLimit: 50 } } : { type: 'Reject' };
  const spec =
    name === 'exempt' ? { type: 'Exempt', exempt: share } : { type: 'Limited', limited: { ...share, limitResponse } };
  return { apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name, annotations }, spec };
}

interface Flow {
  readonly name: string;
  readonly level: string;
  readonly precedence: number;
  readonly by?: 'ByUser' | 'ByNamespace';
  readonly subjects: readonly JsonObject[];
  /** Left out: everything. */
  readonly resources?: readonly JsonObject[];
  readonly paths?: readonly JsonObject[];
}

const group = (name: string): JsonObject => ({ kind: 'Group', group: { name } });
const user = (name: string): JsonObject => ({ kind: 'User', user: { name } });
const allUsers = [group('system:unauthenticated'), group('system:authenticated')];
const systemAccounts = [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } }];
const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] };
const nodes = { apiGroups: [''], resources: ['nodes', 'nodes/status'], namespaces: ['*'], clusterScope: true };

const flows: readonly Flow[] = [
  { name: 'exempt', level: 'exempt', precedence: 1, subjects: [group('system:masters')] },
  {
    name: 'probes',
    level: 'exempt',
    precedence: 2,
    subjects: allUsers,
    resources: [],
    paths: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  },
  {
    name: 'system-leader-election',
    level: 'leader-election',
    precedence: 100,
    by: 'ByUser',
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler'), ...systemAccounts],
    resources: [{ verbs: ['get', 'create', 'update'], ...leases }],
    paths: [],
  },
  {
    name: 'system-node-high',
    level: 'node-high',
    precedence: 400,
    by: 'ByUser',
    subjects: [group('system:nodes')],
    resources: [
      { verbs: ['*'], ...nodes },
      { verbs: ['*'], ...leases },
    ],
    paths: [],
  },
  { name: 'system-nodes', level: 'system', precedence: 500, by: 'ByUser', subjects: [group('system:nodes')] },
  {
    name: 'kube-controller-manager',
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: [user('system:kube-controller-manager')],
  },
  {
    name: 'kube-scheduler',
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: [user('system:kube-scheduler')],
  },
  {
    name: 'kube-system-service-accounts',
    level: 'workload-high',
    precedence: 900,
    by: 'ByNamespace',
    subjects: systemAccounts,
  },
  {
    name: 'service-accounts',
    level: 'workload-low',
    precedence: 9000,
    by: 'ByUser',
    subjects: [group('system:serviceaccounts')],
  },
  { name: 'global-default', level: 'global-default', precedence: 9900, by: 'ByUser', subjects: allUsers },
  { name: 'catch-all', level: 'catch-all', precedence: 10_000, by: 'ByUser', subjects: allUsers },
];

const anyResource = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true };
const anyPath = { verbs: ['*'], nonResourceURLs: ['*'] };

function flowObject({ name, level, precedence, by, subjects, resources = [anyResource], paths = [anyPath] }: Flow) {
  const rule = {
    subjects,
    ...(resources.length > 0 ? { resourceRules: resources } : {}),
    ...(paths.length > 0 ? { nonResourceRules: paths } : {}),
  };
  return {
    apiVersion,
    kind: 'FlowSchema',
    metadata: { name, annotations },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
      rules: [rule],
    },
  };
}
