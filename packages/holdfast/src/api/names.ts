/** Every name that people write into their objects, or find there. The table in docs/reference/names.md says what each means. */

import { disruptionProbeAnnotation } from '@holdfast/base/probes/probe';

export const annotation = {
  budgetScope: 'holdfast.dev/budget-scope',
  groupLabel: 'holdfast.dev/group-label',
  groupMinAvailable: 'holdfast.dev/group-min-available',
  takeover: 'holdfast.dev/takeover',
  projection: 'holdfast.dev/projection',
  disruptionsAllowed: 'holdfast.dev/disruptions-allowed',
  disruptionProbe: disruptionProbeAnnotation,
  node: 'holdfast.dev/node',
  disruptablePods: 'holdfast.dev/disruptable-pods',
  listedBy: 'holdfast.dev/listed-by',
  updateStrategy: 'holdfast.dev/update-strategy',
  rolloutSettleSeconds: 'holdfast.dev/rollout-settle-seconds',
  rolloutStop: 'holdfast.dev/rollout-stop',
  rolloutState: 'holdfast.dev/rollout-state',
  registered: 'holdfast.dev/registered',
  pubProtectOperations: 'kruise.io/pub-protect-operations',
  pubProtectTotalReplicas: 'pub.kruise.io/protect-total-replicas',
  pubNoProtect: 'pub.kruise.io/no-protect',
  kruiseInPlaceState: 'apps.kruise.io/inplace-update-state',
} as const;

export const label = {
  guard: 'holdfast.dev/guard',
  probeLease: 'holdfast.dev/probe-lease',
  unavailablePodPrefix: 'unavailable-pod.kruise.io/',
  controllerRevisionHash: 'controller-revision-hash',
} as const;

/** Reason of a `Disruptable` condition while the agent has no answer yet. */
export const probePendingReason = 'ProbePending';

export const condition = {
  disruptable: 'Disruptable',
  inPlaceUpdateReady: 'InPlaceUpdateReady',
  groupBudget: 'holdfast.dev/GroupBudget',
} as const;
