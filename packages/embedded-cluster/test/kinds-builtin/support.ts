import { type FieldError, formatFieldError } from '../../../base/src/field-errors.ts';
import { validateMetadata, validateMetadataUpdate } from '../../src/kinds/builtin/checks/metadata.ts';
import { dnsSubdomainName } from '../../src/kinds/builtin/checks/object-names.ts';
import { builtinStrategies } from '../../src/kinds/builtin/strategies.ts';
import type { Strategy, StrategyContext } from '../../src/kinds/strategy.ts';
import { clone, type KubeObject } from '../../src/objects.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';

export const context: StrategyContext = { clock: new VirtualClock(), lookup: () => undefined };

const keys: ReadonlyMap<string, string> = new Map([
  ['Pod', 'pods'],
  ['PodTemplate', 'podtemplates'],
  ['ReplicationController', 'replicationcontrollers'],
  ['Namespace', 'namespaces'],
  ['Node', 'nodes'],
  ['Service', 'services'],
  ['Endpoints', 'endpoints'],
  ['ConfigMap', 'configmaps'],
  ['Secret', 'secrets'],
  ['ServiceAccount', 'serviceaccounts'],
  ['Event', 'events'],
  ['PersistentVolumeClaim', 'persistentvolumeclaims'],
  ['PersistentVolume', 'persistentvolumes'],
  ['LimitRange', 'limitranges'],
  ['ResourceQuota', 'resourcequotas'],
  ['Deployment', 'apps/deployments'],
  ['ReplicaSet', 'apps/replicasets'],
  ['StatefulSet', 'apps/statefulsets'],
  ['DaemonSet', 'apps/daemonsets'],
  ['ControllerRevision', 'apps/controllerrevisions'],
  ['Job', 'batch/jobs'],
  ['CronJob', 'batch/cronjobs'],
  ['PodDisruptionBudget', 'policy/poddisruptionbudgets'],
  ['Lease', 'coordination.k8s.io/leases'],
  ['EndpointSlice', 'discovery.k8s.io/endpointslices'],
  ['PriorityClass', 'scheduling.k8s.io/priorityclasses'],
  ['Workload', 'scheduling.k8s.io/workloads'],
  ['PodGroup', 'scheduling.k8s.io/podgroups'],
  ['HorizontalPodAutoscaler', 'autoscaling/horizontalpodautoscalers'],
  ['NetworkPolicy', 'networking.k8s.io/networkpolicies'],
  ['Ingress', 'networking.k8s.io/ingresses'],
  ['StorageClass', 'storage.k8s.io/storageclasses'],
  ['FlowSchema', 'flowcontrol.apiserver.k8s.io/flowschemas'],
  ['PriorityLevelConfiguration', 'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations'],
  ['StorageVersionMigration', 'storagemigration.k8s.io/storageversionmigrations'],
  ['CSIDriver', 'storage.k8s.io/csidrivers'],
  ['CSINode', 'storage.k8s.io/csinodes'],
  ['VolumeAttachment', 'storage.k8s.io/volumeattachments'],
  ['CertificateSigningRequest', 'certificates.k8s.io/certificatesigningrequests'],
  ['APIService', 'apiregistration.k8s.io/apiservices'],
]);

const outsideNamespaces = new Set([
  'Namespace',
  'Node',
  'PersistentVolume',
  'PriorityClass',
  'StorageClass',
  'FlowSchema',
  'PriorityLevelConfiguration',
  'StorageVersionMigration',
  'CSIDriver',
  'CSINode',
  'VolumeAttachment',
  'CertificateSigningRequest',
  'APIService',
]);

export function strategyOf(kind: string): Strategy {
  const strategy = builtinStrategies.get(keys.get(kind) ?? '');
  if (strategy === undefined) throw new Error(`no strategy for ${kind}`);
  return strategy;
}

/** The object as a create request would make it, before it is checked. */
export function created(source: KubeObject, uid = '00000000-0000-4000-8000-000000000001'): KubeObject {
  const draft = clone(source);
  const strategy = strategyOf(draft.kind);
  if (!outsideNamespaces.has(draft.kind)) draft.metadata.namespace ??= 'strategies';
  draft.metadata.uid = uid;
  strategy.applyDefaults?.(draft);
  strategy.prepareForCreate?.(draft, context);
  strategy.applyDefaults?.(draft);
  return draft;
}

function texts(errors: readonly FieldError[]): readonly string[] {
  return errors.map(formatFieldError);
}

export function createErrors(source: KubeObject): readonly string[] {
  const draft = created(source);
  const strategy = strategyOf(draft.kind);
  const rules = {
    namespaced: !outsideNamespaces.has(draft.kind),
    nameProblem: strategy.nameProblem ?? dnsSubdomainName,
  };
  return texts([...validateMetadata(draft.metadata, rules), ...(strategy.validate?.(draft, context) ?? [])]);
}

export function updateErrors(source: KubeObject, old: KubeObject, subresource = ''): readonly string[] {
  const draft = clone(source);
  const strategy = strategyOf(draft.kind);
  strategy.applyDefaults?.(draft);
  if (subresource !== '') {
    strategy.prepareForSubresource?.(subresource, draft, old, context);
    return texts(strategy.validateSubresource?.(subresource, draft, old) ?? []);
  }
  strategy.prepareForUpdate?.(draft, old, context);
  return texts([
    ...validateMetadataUpdate(draft.metadata, old.metadata),
    ...(strategy.validate?.(draft, context) ?? []),
    ...(strategy.validateUpdate?.(draft, old, context) ?? []),
  ]);
}
