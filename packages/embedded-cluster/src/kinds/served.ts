/**
 * The built-in resources that the cluster serves, by group. Recorded data holds these and what they refer to, nothing
 * else; which versions of them there are is what the recorded server has.
 */
export const servedResources: Readonly<Record<string, readonly string[]>> = {
  '': [
    'bindings',
    'componentstatuses',
    'configmaps',
    'endpoints',
    'events',
    'limitranges',
    'namespaces',
    'nodes',
    'persistentvolumeclaims',
    'persistentvolumes',
    'pods',
    'podtemplates',
    'replicationcontrollers',
    'resourcequotas',
    'secrets',
    'serviceaccounts',
    'services',
  ],
  'admissionregistration.k8s.io': [
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
    'mutatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'validatingwebhookconfigurations',
  ],
  'apiextensions.k8s.io': ['customresourcedefinitions'],
  'apiregistration.k8s.io': ['apiservices'],
  apps: ['controllerrevisions', 'daemonsets', 'deployments', 'replicasets', 'statefulsets'],
  'authentication.k8s.io': ['selfsubjectreviews', 'tokenreviews'],
  'authorization.k8s.io': [
    'localsubjectaccessreviews',
    'selfsubjectaccessreviews',
    'selfsubjectrulesreviews',
    'subjectaccessreviews',
  ],
  autoscaling: ['horizontalpodautoscalers'],
  batch: ['cronjobs', 'jobs'],
  'certificates.k8s.io': ['certificatesigningrequests'],
  'coordination.k8s.io': ['leases'],
  'discovery.k8s.io': ['endpointslices'],
  'events.k8s.io': ['events'],
  'flowcontrol.apiserver.k8s.io': ['flowschemas', 'prioritylevelconfigurations'],
  'networking.k8s.io': ['ingressclasses', 'ingresses', 'networkpolicies'],
  'node.k8s.io': ['runtimeclasses'],
  policy: ['poddisruptionbudgets'],
  'rbac.authorization.k8s.io': ['clusterrolebindings', 'clusterroles', 'rolebindings', 'roles'],
  'resource.k8s.io': ['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'],
  'scheduling.k8s.io': ['podgroups', 'priorityclasses', 'workloads'],
  'storage.k8s.io': ['csidrivers', 'csinodes', 'storageclasses', 'volumeattachments', 'volumeattributesclasses'],
  'storagemigration.k8s.io': ['storageversionmigrations'],
};

/** Subresources that lead into a running container or through to a server: there is nothing behind them here. */
export const unservedSubresources: ReadonlySet<string> = new Set(['attach', 'portforward', 'proxy']);

export function isServed(group: string, resource: string): boolean {
  const resources = Object.hasOwn(servedResources, group) ? servedResources[group] : undefined;
  const [plural = '', subresource = ''] = resource.split('/');
  return resources?.includes(plural) === true && !unservedSubresources.has(subresource);
}
