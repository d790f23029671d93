import { type FieldError, invalid } from '@holdfast/base/field-errors';
import type { ResourceKey } from '../../objects.ts';
import type { Strategy } from '../strategy.ts';
import { configMapStrategy, secretStrategy } from './config-data.ts';
import { apiServiceStrategy, certificateRequestStrategy, migrationStrategy } from './control-plane-kinds.ts';
import { resourceClaimStrategy, resourceClaimTemplateStrategy, resourceSliceStrategy } from './device-kinds.ts';
import { endpointSliceStrategy, endpointsStrategy } from './endpoints.ts';
import { eventStrategy } from './event.ts';
import { flowSchemaStrategy, priorityLevelStrategy } from './flow-control.ts';
import { leaseStrategy } from './lease.ts';
import { namespaceStrategy } from './namespace.ts';
import { ingressStrategy, networkPolicyStrategy } from './network-kinds.ts';
import { nodeStrategy } from './node.ts';
import { podStrategy } from './pods/pod.ts';
import { podGroupStrategy, workloadStrategy } from './pods/pod-groups.ts';
import { priorityClassStrategy } from './priority-class.ts';
import { limitRangeStrategy, resourceQuotaStrategy } from './quota-kinds.ts';
import { serviceStrategy } from './service.ts';
import {
  claimStrategy,
  csiDriverStrategy,
  csiNodeStrategy,
  storageClassStrategy,
  volumeAttachmentStrategy,
  volumeAttributesClassStrategy,
  volumeStrategy,
} from './storage-kinds.ts';
import { autoscalerStrategy } from './workloads/autoscaler.ts';
import { controllerRevisionStrategy } from './workloads/controller-revision.ts';
import { cronJobStrategy } from './workloads/cron-job.ts';
import { daemonSetStrategy } from './workloads/daemon-set.ts';
import { deploymentStrategy } from './workloads/deployment.ts';
import { jobStrategy } from './workloads/job.ts';
import { podDisruptionBudgetStrategy } from './workloads/pod-disruption-budget.ts';
import { podTemplateStrategy } from './workloads/pod-template-object.ts';
import { replicaSetStrategy } from './workloads/replica-set.ts';
import { replicationControllerStrategy } from './workloads/replication-controller.ts';
import { statefulSetStrategy } from './workloads/stateful-set.ts';

/** A kind that has no rules beyond its schema and its metadata. */
const plain: Strategy = {};

const rules: readonly (readonly [ResourceKey, Strategy])[] = [
  ['pods', podStrategy],
  ['podtemplates', podTemplateStrategy],
  ['replicationcontrollers', replicationControllerStrategy],
  ['namespaces', namespaceStrategy],
  ['nodes', nodeStrategy],
  ['services', serviceStrategy],
  ['endpoints', endpointsStrategy],
  ['configmaps', configMapStrategy],
  ['secrets', secretStrategy],
  ['serviceaccounts', plain],
  ['events', eventStrategy],
  ['persistentvolumeclaims', claimStrategy],
  ['persistentvolumes', volumeStrategy],
  ['limitranges', limitRangeStrategy],
  ['resourcequotas', resourceQuotaStrategy],
  ['apps/deployments', deploymentStrategy],
  ['apps/replicasets', replicaSetStrategy],
  ['apps/statefulsets', statefulSetStrategy],
  ['apps/daemonsets', daemonSetStrategy],
  ['apps/controllerrevisions', controllerRevisionStrategy],
  ['batch/jobs', jobStrategy],
  ['batch/cronjobs', cronJobStrategy],
  ['policy/poddisruptionbudgets', podDisruptionBudgetStrategy],
  ['coordination.k8s.io/leases', leaseStrategy],
  ['discovery.k8s.io/endpointslices', endpointSliceStrategy],
  ['scheduling.k8s.io/priorityclasses', priorityClassStrategy],
  ['scheduling.k8s.io/workloads', workloadStrategy],
  ['scheduling.k8s.io/podgroups', podGroupStrategy],
  ['autoscaling/horizontalpodautoscalers', autoscalerStrategy],
  ['networking.k8s.io/networkpolicies', networkPolicyStrategy],
  ['networking.k8s.io/ingresses', ingressStrategy],
  ['networking.k8s.io/ingressclasses', plain],
  ['storage.k8s.io/storageclasses', storageClassStrategy],
  ['storage.k8s.io/volumeattachments', volumeAttachmentStrategy],
  ['storage.k8s.io/volumeattributesclasses', volumeAttributesClassStrategy],
  ['storage.k8s.io/csidrivers', csiDriverStrategy],
  ['storage.k8s.io/csinodes', csiNodeStrategy],
  ['flowcontrol.apiserver.k8s.io/flowschemas', flowSchemaStrategy],
  ['flowcontrol.apiserver.k8s.io/prioritylevelconfigurations', priorityLevelStrategy],
  ['certificates.k8s.io/certificatesigningrequests', certificateRequestStrategy],
  ['storagemigration.k8s.io/storageversionmigrations', migrationStrategy],
  ['apiregistration.k8s.io/apiservices', apiServiceStrategy],
  ['resource.k8s.io/deviceclasses', plain],
  ['resource.k8s.io/resourceclaims', resourceClaimStrategy],
  ['resource.k8s.io/resourceclaimtemplates', resourceClaimTemplateStrategy],
  ['resource.k8s.io/resourceslices', resourceSliceStrategy],
];

/** Custom kinds may name finalizers freely; built-in ones may not. */
function withFinalizerRule(strategy: Strategy): Strategy {
  return {
    ...strategy,
    validate: (object, context) => [
      ...finalizerErrors(object.metadata.finalizers ?? []),
      ...(strategy.validate?.(object, context) ?? []),
    ],
  };
}

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function finalizerErrors(finalizers: readonly string[]): readonly FieldError[] {
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return finalizers.flatMap((name, index) =>
    name.includes('/') || standardFinalizers.has(name) ? [] : [invalid(`metadata.finalizers[${index}]`, name, detail)],
  );
}

/** The rules of every built-in kind, except those that guard access to the cluster or extend it. */
export const builtinStrategies: ReadonlyMap<ResourceKey, Strategy> = new Map(
  rules.map(([key, strategy]) => [key, withFinalizerRule(strategy)]),
);
