/** Where owners of pods keep the templates of them. An object has those that its kind has. */
export const podPlaces = [
  'spec.template',
  'spec.jobTemplate.spec.template',
  'spec.leaderWorkerTemplate.leaderTemplate',
  'spec.leaderWorkerTemplate.workerTemplate',
] as const;

/** The kinds of these owners, and pods themselves, by group. */
export const podMakers: readonly {
  readonly group: string;
  readonly versions: string[];
  readonly resources: string[];
}[] = [
  { group: '', versions: ['v1'], resources: ['pods', 'replicationcontrollers'] },
  { group: 'apps', versions: ['v1'], resources: ['deployments', 'statefulsets', 'daemonsets', 'replicasets'] },
  { group: 'batch', versions: ['v1'], resources: ['jobs', 'cronjobs'] },
  { group: 'leaderworkerset.x-k8s.io', versions: ['*'], resources: ['leaderworkersets'] },
  { group: 'apps.kruise.io', versions: ['*'], resources: ['clonesets', 'statefulsets', 'daemonsets'] },
];
