import { systemOwners } from '../../core/groups/system-lists.ts';
import { kruiseGroup } from '../../core/owner.ts';

/** Where owners of pods keep the templates of them. An object has those that its kind has. */
export const podPlaces: readonly string[] = [
  'spec.template',
  'spec.jobTemplate.spec.template',
  ...systemOwners.flatMap(({ templates = [] }) => templates),
];

/** The kinds of these owners, and pods themselves, by group. */
export const podMakers: readonly {
  readonly group: string;
  readonly versions: readonly string[];
  readonly resources: readonly string[];
}[] = [
  { group: '', versions: ['v1'], resources: ['pods', 'replicationcontrollers'] },
  { group: 'apps', versions: ['v1'], resources: ['deployments', 'statefulsets', 'daemonsets', 'replicasets'] },
  { group: 'batch', versions: ['v1'], resources: ['jobs', 'cronjobs'] },
  ...systemOwners
    .filter(({ templates = [] }) => templates.length > 0)
    .map(({ group, resource }) => ({ group, versions: ['*'], resources: [resource] })),
  { group: kruiseGroup, versions: ['*'], resources: ['clonesets', 'statefulsets', 'daemonsets'] },
];
