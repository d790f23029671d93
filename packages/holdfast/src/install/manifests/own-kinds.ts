/** Every kind that an installation has, or had in an earlier version, and what becomes of it where it is not served. */

/** When its objects are applied, and, the other way round, removed. */
export type ApplyStage =
  /** What everything else is in, or made of. */
  | 'ground'
  | 'operator'
  /** What sends requests to the operator: applied when it answers, removed before it goes. */
  | 'requests'
  /** What runs on every node. */
  | 'agents';

export interface OwnKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** It may be in namespaces of others: agents run commands in those that an administrator chose. */
  readonly anywhere?: true;
  readonly stage: ApplyStage;
  /** What is lost without it, where an installation can do without it. */
  readonly spare?: string;
  /** What brings it, where it does not come with Kubernetes. */
  readonly from?: string;
}

const flow = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', namespaced: false, stage: 'operator' } as const;
const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', stage: 'operator' } as const;
const certManager = {
  apiVersion: 'cert-manager.io/v1',
  namespaced: true,
  stage: 'operator',
  from: 'Install cert-manager first (https://cert-manager.io), or leave certificates.source at "own".',
} as const;
const configuration = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  namespaced: false,
  stage: 'requests',
} as const;
const policy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  namespaced: false,
  stage: 'operator',
  spare:
    'nothing narrows what the service accounts of Holdfast may do beyond RBAC, nor keeps others from writing ledgers',
} as const;
const projection = {
  ...policy,
  spare: 'a webhook puts the number of units into disruptionsAllowed of PodDisruptionBudgets instead',
} as const;
const noSeats = 'the operator has no seats of its own at the API server, and may wait behind others when that is busy';

/** In the order in which they are applied. */
export const ownKinds: readonly OwnKind[] = [
  { apiVersion: 'v1', kind: 'Namespace', namespaced: false, stage: 'ground' },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', namespaced: false, stage: 'ground' },
  { apiVersion: 'v1', kind: 'ServiceAccount', namespaced: true, stage: 'operator' },
  { ...rbac, kind: 'ClusterRole', namespaced: false },
  { ...rbac, kind: 'ClusterRoleBinding', namespaced: false },
  { ...rbac, kind: 'Role', namespaced: true, anywhere: true },
  { ...rbac, kind: 'RoleBinding', namespaced: true, anywhere: true },
  { ...policy, kind: 'ValidatingAdmissionPolicy' },
  { ...policy, kind: 'ValidatingAdmissionPolicyBinding' },
  { ...projection, kind: 'MutatingAdmissionPolicy' },
  { ...projection, kind: 'MutatingAdmissionPolicyBinding' },
  { ...flow, kind: 'PriorityLevelConfiguration', spare: noSeats },
  { ...flow, kind: 'FlowSchema', spare: noSeats },
  { ...certManager, kind: 'Issuer' },
  { ...certManager, kind: 'Certificate' },
  { apiVersion: 'v1', kind: 'Service', namespaced: true, stage: 'operator' },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    namespaced: true,
    stage: 'operator',
    spare: "nothing limits the operator's connections",
  },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespaced: true, stage: 'operator' },
  { apiVersion: 'apps/v1', kind: 'Deployment', namespaced: true, stage: 'operator' },
  { ...configuration, kind: 'ValidatingWebhookConfiguration' },
  { ...configuration, kind: 'MutatingWebhookConfiguration' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet', namespaced: true, stage: 'agents' },
];

export function ownKind(kind: string): OwnKind | undefined {
  return ownKinds.find((one) => one.kind === kind);
}
