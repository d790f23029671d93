import { type Fields, isObject } from '@holdfast/base/json';
import { index, positiveInteger, stated } from '../claim.ts';
import { nearestWhole, type PodMaker, whole } from '../pod-maker.ts';
import type { GroupSystem } from '../system.ts';

const group = 'jobset.x-k8s.io';
const keyLabel = 'jobset.sigs.k8s.io/job-key';
/** Labels of pods of one version, annotations of another. */
const mark = {
  jobSet: 'jobset.sigs.k8s.io/jobset-name',
  job: 'jobset.sigs.k8s.io/replicatedjob-name',
  jobs: 'jobset.sigs.k8s.io/replicatedjob-replicas',
  index: 'jobset.sigs.k8s.io/job-index',
} as const;

/** Every Job of a JobSet is a group, unless it has one pod. */
const podMaker: PodMaker = {
  group,
  kinds: ['JobSet'],
  podSet: ({ metadata }, { around }) => {
    const replicated = around.find(hasJobTemplate) ?? {};
    const jobs = whole(replicated['replicas']) ?? 1;
    const pods = nearestWhole(around.slice(0, 1), 'parallelism') ?? 1;
    const name = String(replicated['name'] ?? 'job');
    return {
      count: jobs * pods,
      mark: (at) => {
        const job = Math.floor(at / pods);
        const key = pods === 1 ? {} : { [keyLabel]: `${metadata.name}-${name}-${job}` };
        return {
          labels: {
            ...key,
            [mark.jobSet]: metadata.name,
            [mark.job]: name,
            [mark.jobs]: String(jobs),
            [mark.index]: String(job),
          },
          annotations: {},
        };
      },
    };
  },
};

function hasJobTemplate({ template }: Fields): boolean {
  const spec = isObject(template) ? template['spec'] : undefined;
  return isObject(spec) && isObject(spec['template']);
}

export const jobSet: GroupSystem = {
  name: 'JobSet',
  claim: (labels, annotations) => {
    const key = labels[keyLabel];
    if (key === undefined) return undefined;
    const at = (name: string): string | undefined => labels[name] ?? annotations[name];
    const replicated = `${at(mark.jobSet) ?? ''}/${at(mark.job) ?? ''}`;
    const job = at(mark.index);
    return {
      id: `jobset/${key}`,
      display: job === undefined ? key : `${replicated}/${job}`,
      parent: `jobset/${replicated}`,
      ...stated('index', index(job)),
      ...stated('expected', positiveInteger(at(mark.jobs))),
    };
  },
  labels: [keyLabel, ...Object.values(mark)],
  annotations: Object.values(mark),
  owners: [{ group, kind: 'JobSet', resource: 'jobsets', scale: 'none' }],
  podMakers: [podMaker],
};
