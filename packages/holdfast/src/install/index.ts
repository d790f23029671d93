/** The door to what is installed: values, manifests, and how they get into a cluster and out of it. */

export { install } from './apply/install.ts';
export { agentsReadiness, deploymentReadiness, type InstallReadiness } from './apply/readiness.ts';
export { installSteps } from './apply/steps.ts';
export type { ApiOptions } from './cluster-api.ts';
export { agentPolicies } from './manifests/agent-policies.ts';
export { agentRbacObjects, agentServiceAccountOf } from './manifests/agent-rbac.ts';
export { crdManifests } from './manifests/manifests.ts';
export { agentsNamespaceOf, namespaceOf, serviceAccountOf } from './manifests/namespace.ts';
export { operatorPolicies } from './manifests/operator-policies.ts';
export { peopleRoles } from './manifests/people-roles.ts';
export { podPlaces } from './manifests/pod-places.ts';
export { projectionPolicies } from './manifests/projection-policy.ts';
export { type RbacObject, rbacObjects } from './manifests/rbac.ts';
export { renderManifests } from './manifests/render.ts';
export { answeredPaths, type WebhookConfiguration, webhookConfigurations } from './manifests/webhooks.ts';
export { refText } from './object-ref.ts';
export type { Ended, ObjectResult, Report, Reporter } from './outcome.ts';
export { uninstall } from './remove/uninstall.ts';
export {
  defaultFeatureGates,
  enforcedRolloutGate,
  type FeatureGates,
  parseFeatureGates,
} from './values/feature-gates.ts';
export { readInstallValues } from './values/read-values.ts';
export { projects } from './values/switched-on.ts';
export {
  defaultInstallValues,
  failurePolicies,
  type InstallValues,
  logLevels,
  projectionModes,
  type takeoverModes,
  takeoverProblem,
} from './values/values.ts';
