/** What the default cluster roles allow. A line is: verbs, API groups, resources, and names where there are some. */

import type { PolicyRule } from './rbac-objects.ts';

const read = 'get list watch';
const write = 'create delete deletecollection patch update';
export const readWrite = `${read} ${write}`;

/** Words are separated by spaces; `core` is the group without a name. */
export function rule(verbs: string, groups: string, resources: string, names?: string): PolicyRule {
  return {
    verbs: words(verbs),
    apiGroups: words(groups).map((group) => (group === 'core' ? '' : group)),
    resources: words(resources),
    ...(names === undefined ? {} : { resourceNames: words(names) }),
  };
}

export function urls(paths: string): PolicyRule {
  return { verbs: ['get'], nonResourceURLs: words(paths) };
}

function words(text: string): string[] {
  return text.split(' ');
}

export const authorization = 'authorization.k8s.io';
export const authentication = 'authentication.k8s.io';
const coordination = 'coordination.k8s.io';
const networking = 'networking.k8s.io';
const storage = 'storage.k8s.io';
const certificates = 'certificates.k8s.io';
const devices = 'resource.k8s.io';

const writeEvents = rule('create patch update', 'core events.k8s.io', 'events');
const askWhoAndWhat: readonly PolicyRule[] = [
  rule('create', authentication, 'tokenreviews'),
  rule('create', authorization, 'subjectaccessreviews'),
];

export const delegatorRules = askWhoAndWhat;

export const viewRules: readonly PolicyRule[] = [
  rule(
    read,
    'core',
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
  ),
  rule(
    read,
    'core',
    'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
  ),
  rule(read, 'core', 'namespaces'),
  rule(read, 'core events.k8s.io', 'events'),
  rule(read, 'discovery.k8s.io', 'endpointslices'),
  rule(
    read,
    'apps',
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
  ),
  rule(read, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
  rule(read, 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
  rule(read, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
  rule(read, networking, 'ingresses ingresses/status networkpolicies'),
  rule(read, devices, 'resourceclaims resourceclaims/status resourceclaimtemplates'),
];

export const editRules: readonly PolicyRule[] = [
  rule(read, 'core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
  rule('impersonate', 'core', 'serviceaccounts'),
  rule(write, 'core', 'pods pods/attach pods/exec pods/portforward pods/proxy'),
  rule('create', 'core', 'pods/eviction'),
  rule(
    write,
    'core',
    'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
  ),
  rule('create', 'core', 'serviceaccounts/token'),
  rule(write, 'core events.k8s.io', 'events'),
  rule(
    write,
    'apps',
    'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
  ),
  rule(write, 'autoscaling', 'horizontalpodautoscalers'),
  rule(write, 'batch', 'cronjobs jobs'),
  rule(write, 'policy', 'poddisruptionbudgets'),
  rule(write, networking, 'ingresses networkpolicies'),
  rule(readWrite, coordination, 'leases'),
  rule(write, devices, 'resourceclaims resourceclaimtemplates'),
];

export const nodeRules: readonly PolicyRule[] = [
  ...askWhoAndWhat,
  rule('create', authorization, 'localsubjectaccessreviews'),
  rule(read, 'core', 'configmaps pods secrets services'),
  rule(`create ${read} patch update`, 'core', 'nodes'),
  rule('patch update', 'core', 'nodes/status pods/status'),
  writeEvents,
  rule('create delete', 'core', 'pods'),
  rule('create', 'core', 'pods/eviction serviceaccounts/token'),
  rule('get', 'core', 'endpoints persistentvolumeclaims persistentvolumes serviceaccounts'),
  rule('get patch update', 'core', 'persistentvolumeclaims/status'),
  rule(`create ${read}`, certificates, 'certificatesigningrequests'),
  rule('create delete get patch update', coordination, 'leases'),
  rule('get', storage, 'volumeattachments'),
  rule(read, storage, 'csidrivers'),
  rule('create delete get patch update', storage, 'csinodes'),
  rule(read, 'node.k8s.io', 'runtimeclasses'),
  rule('get', devices, 'resourceclaims'),
  rule('deletecollection', devices, 'resourceslices'),
];

export const schedulerRules: readonly PolicyRule[] = [
  writeEvents,
  rule('create', coordination, 'leases'),
  rule(`${read} update`, coordination, 'leases', 'kube-scheduler'),
  rule(readWrite, coordination, 'leasecandidates'),
  rule(read, 'core', 'namespaces nodes persistentvolumeclaims persistentvolumes replicationcontrollers services'),
  rule(`delete ${read}`, 'core', 'pods'),
  rule('create', 'core', 'bindings pods/binding'),
  rule('patch update', 'core', 'pods/status'),
  rule('update', 'core', 'pods/finalizers'),
  rule(read, 'apps', 'replicasets statefulsets'),
  rule(read, 'policy', 'poddisruptionbudgets'),
  ...askWhoAndWhat,
  rule(read, storage, 'csidrivers csinodes csistoragecapacities volumeattachments'),
  rule(read, devices, 'deviceclasses resourceslices'),
  rule(`${read} patch update`, devices, 'resourceclaims resourceclaims/status'),
];

export const controllerManagerRules: readonly PolicyRule[] = [
  writeEvents,
  rule('create', coordination, 'leases'),
  rule('get update', coordination, 'leases', 'kube-controller-manager'),
  rule('create', 'core', 'secrets serviceaccounts serviceaccounts/token'),
  rule('delete', 'core', 'secrets'),
  rule('get', 'core', 'configmaps namespaces secrets serviceaccounts'),
  rule('update', 'core', 'secrets serviceaccounts'),
  ...askWhoAndWhat,
  rule('list watch', '*', '*'),
];

export const volumeSchedulerRules: readonly PolicyRule[] = [
  rule(`${read} patch update`, 'core', 'persistentvolumeclaims persistentvolumes'),
  rule(read, storage, 'storageclasses'),
];

export const proxierRules: readonly PolicyRule[] = [
  rule('list watch', 'core', 'endpoints services'),
  rule(read, 'core', 'nodes'),
  writeEvents,
  rule('list watch', networking, 'servicecidrs'),
  rule('list watch', 'discovery.k8s.io', 'endpointslices'),
];
