/** The door to what is installed: values, manifests, and how they get into a cluster and out of it. */

export { agentPolicies } from './agent-policies.ts';
export { agentRbacObjects, agentServiceAccountOf } from './agent-rbac.ts';
export type { ApiOptions } from './cluster-api.ts';
export { defaultFeatureGates, enforcedRolloutGate, type FeatureGates, parseFeatureGates } from './feature-gates.ts';
export { install } from './install.ts';
export { crdManifests } from './manifests.ts';
export { agentsNamespaceOf, namespaceOf, serviceAccountOf } from './namespace.ts';
export { refText } from './object-ref.ts';
export { operatorPolicies } from './operator-policies.ts';
export type { Ended, ObjectResult, Report, Reporter } from './outcome.ts';
export { peopleRoles } from './people-roles.ts';
export { podPlaces } from './pod-places.ts';
export { projectionPolicies } from './projection-policy.ts';
export { type RbacObject, rbacObjects } from './rbac.ts';
export { readInstallValues } from './read-values.ts';
export { agentsReadiness, deploymentReadiness, type Readiness } from './readiness.ts';
export { renderManifests } from './render.ts';
export { installSteps } from './steps.ts';
export { projects } from './switched-on.ts';
export { uninstall } from './uninstall.ts';
export {
  defaultInstallValues,
  failurePolicies,
  type InstallValues,
  logLevels,
  projectionModes,
  type takeoverModes,
  takeoverProblem,
} from './values.ts';
export { answeredPaths, type WebhookConfiguration, webhookConfigurations } from './webhooks.ts';
