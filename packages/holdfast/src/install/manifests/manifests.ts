import type { DaemonSet, Deployment } from 'kubernetes-types/apps/v1.js';
import type { Namespace, Service, ServiceAccount } from 'kubernetes-types/core/v1.js';
import type { FlowSchema, PriorityLevelConfiguration } from 'kubernetes-types/flowcontrol/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { disruptionLedgerCrd } from '../../api/crd/disruption-ledger.ts';
import { podUnavailableBudgetCrd } from '../../api/crd/pod-unavailable-budget.ts';
import type { CustomResourceDefinition } from '../../api/crd/schema.ts';
import type { InstallValues } from '../values/values.ts';
import { agentDaemonSetOf, agentNetworkPolicyOf } from './agent-daemon-set.ts';
import { agentPolicies } from './agent-policies.ts';
import { agentRbacObjects, agentServiceAccountOf } from './agent-rbac.ts';
import { type CertManagerObject, certManagerObjects } from './cert-manager.ts';
import { deploymentOf } from './deployment.ts';
import { flowSchemaOf, priorityLevelOf } from './flow-control.ts';
import { agentsNamespaceOf, namespaceOf, serviceAccountOf } from './namespace.ts';
import { disruptionBudgetOf, networkPolicyOf, serviceOf } from './network.ts';
import { operatorPolicies } from './operator-policies.ts';
import { peopleRoles } from './people-roles.ts';
import type { PolicyObject } from './policy-objects.ts';
import { type MutatingPolicyObject, projectionPolicies } from './projection-policy.ts';
import { type RbacObject, rbacObjects } from './rbac.ts';
import { answeredPaths, emptyConfigurations, type WebhookConfiguration, webhookConfigurations } from './webhooks.ts';

export type Manifest =
  | Namespace
  | CustomResourceDefinition
  | ServiceAccount
  | RbacObject
  | PolicyObject
  | MutatingPolicyObject
  | PriorityLevelConfiguration
  | FlowSchema
  | CertManagerObject
  | Service
  | Deployment
  | DaemonSet
  | PodDisruptionBudget
  | NetworkPolicy
  | WebhookConfiguration;

export const crdManifests: readonly CustomResourceDefinition[] = [podUnavailableBudgetCrd, disruptionLedgerCrd];

/**
 * Everything, in the order in which it is applied: what others need comes first, then what sends requests to us. Agents
 * come last, because waiting for every node must not delay protection.
 * @param paths at which the operator has a handler: there are webhooks for these alone
 */
export function manifestsOf(values: InstallValues, paths: ReadonlySet<string> = answeredPaths): readonly Manifest[] {
  const { enabled } = values.agent;
  const policies = [networkPolicyOf(values), enabled ? agentNetworkPolicyOf(values) : undefined];
  return [
    namespaceOf(values),
    agentsNamespaceOf(),
    ...crdManifests,
    serviceAccountOf(values),
    ...(enabled ? [agentServiceAccountOf(values)] : []),
    ...rbacObjects(values),
    ...(enabled ? agentRbacObjects(values) : []),
    ...peopleRoles,
    ...operatorPolicies(values),
    ...projectionPolicies(values),
    ...(enabled ? agentPolicies(values) : []),
    priorityLevelOf(),
    flowSchemaOf(values),
    ...certManagerObjects(values),
    serviceOf(values),
    ...policies.filter((policy) => policy !== undefined),
    disruptionBudgetOf(values),
    deploymentOf(values),
    ...(values.webhook.registeredBy === 'operator'
      ? emptyConfigurations(values)
      : webhookConfigurations(values, paths)),
    ...(enabled ? [agentDaemonSetOf(values)] : []),
  ];
}
