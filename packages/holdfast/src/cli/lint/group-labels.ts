import { nearestWhole, type PodMaker, type PodMarks, whole } from '../../core/groups/pod-maker.ts';
import { systemPodMakers } from '../../core/groups/system-lists.ts';
import type { LoadedObject } from '../load-objects.ts';

const unmarked: PodMarks = { labels: {}, annotations: {} };

type AnyMaker = Pick<PodMaker, 'podSet' | 'podGroup'>;

/** The number of replicas stands beside the template, or above it; that of a Job is called parallelism. */
const anyMaker: AnyMaker = {
  podSet: (_, { around }) => ({ count: nearestWhole(around, 'replicas', 'parallelism') ?? 1, mark: () => unmarked }),
};

/** The training operator groups pods only where it is told to use a gang scheduler, which a manifest does not show. */
const training: PodMaker = {
  group: 'kubeflow.org',
  kinds: ['PyTorchJob', 'TFJob', 'MPIJob', 'XGBoostJob', 'PaddleJob', 'JAXJob'],
  podSet: ({ metadata }, { path, around: [replicaSpec = {}] }) => ({
    count: whole(replicaSpec['replicas']) ?? 1,
    mark: (index) => ({
      labels: {
        'training.kubeflow.org/job-name': metadata.name,
        'training.kubeflow.org/replica-type': (path.split('.').at(-2) ?? '').toLowerCase(),
        'training.kubeflow.org/replica-index': String(index),
      },
      annotations: {},
    }),
  }),
};

/** The kinds whose controllers are known: those of group systems, and one that has no groups of its own. */
export const podMakersOfKinds: readonly PodMaker[] = [...systemPodMakers, training];

export function makerOf({ apiVersion, kind }: LoadedObject): AnyMaker {
  const [apiGroup = ''] = apiVersion.split('/');
  return podMakersOfKinds.find(({ group, kinds }) => group === apiGroup && kinds.includes(kind)) ?? anyMaker;
}
