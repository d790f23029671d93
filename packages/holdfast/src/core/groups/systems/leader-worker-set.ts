import { isObject } from '@holdfast/base/json';
import { kruiseGroup } from '../../owner.ts';
import { index, positiveInteger, stated } from '../claim.ts';
import { type PodMaker, whole } from '../pod-maker.ts';
import type { GroupSystem } from '../system.ts';

const group = 'leaderworkerset.x-k8s.io';
const kind = 'LeaderWorkerSet';
const resource = 'leaderworkersets';
const nameLabel = 'leaderworkerset.sigs.k8s.io/name';
const indexLabel = 'leaderworkerset.sigs.k8s.io/group-index';
const sizeAnnotation = 'leaderworkerset.sigs.k8s.io/size';

/** A leader and its workers for each replica. Without a template of its own the leader has that of the workers. */
const podMaker: PodMaker = {
  group,
  kinds: [kind],
  podSet: (object, { path, around: [template = {}, spec = {}] }) => {
    const size = whole(template['size']) ?? 1;
    const groups = whole(spec['replicas']) ?? 1;
    const isLeader = path.endsWith('.leaderTemplate');
    const hasLeader = isObject(template['leaderTemplate']);
    const first = isLeader || !hasLeader ? 0 : 1;
    const each = isLeader ? 1 : Math.max(0, size - first);
    return {
      count: groups * each,
      mark: (at) => ({
        labels: {
          [nameLabel]: object.metadata.name,
          [indexLabel]: String(Math.floor(at / each)),
          'leaderworkerset.sigs.k8s.io/worker-index': String(first + (at % each)),
        },
        annotations: { [sizeAnnotation]: String(size) },
      }),
    };
  },
};

export const leaderWorkerSet: GroupSystem = {
  name: 'LeaderWorkerSet',
  claim: (labels, annotations) => {
    const name = labels[nameLabel];
    const at = labels[indexLabel];
    if (name === undefined || at === undefined) return undefined;
    return {
      id: `lws/${name}/${at}`,
      display: `${name}/${at}`,
      parent: `lws/${name}`,
      ...stated('index', index(at)),
      ...stated('size', positiveInteger(annotations[sizeAnnotation])),
    };
  },
  labels: [nameLabel, indexLabel],
  annotations: [sizeAnnotation],
  owners: [
    {
      group,
      kind,
      resource,
      scale: 'groups',
      templates: ['spec.leaderWorkerTemplate.leaderTemplate', 'spec.leaderWorkerTemplate.workerTemplate'],
    },
    // The probes webhook does not check templates of OpenKruise's kind: those of its pods are checked when they are created.
    { group: kruiseGroup, kind, resource, scale: 'groups' },
  ],
  // The chain of a worker's owners goes through its leader, which may be gone. OpenKruise's sets own all of their pods (O3).
  labelledOwner: {
    group,
    kind,
    nameOf: (labels) => labels[nameLabel],
    notBelow: [{ group: kruiseGroup, kind }],
  },
  podMakers: [podMaker],
};
