import type { GroupSystem } from '../../src/core/groups/system.ts';

/** A system that does not exist, as a contributor would add it. A test puts this file beside the others, in a copy of the source. */

const group = 'farm.example.com';

export const farms: GroupSystem = {
  name: 'Farm',
  claim: (labels, annotations) => {
    const herd = labels['farm.example.com/herd'];
    if (herd === undefined) return undefined;
    const size = annotations['herds.example.com/size'];
    return {
      id: `farm/${herd}`,
      display: herd,
      ...(size === undefined ? {} : { size: Number(size) }),
      object: { apiGroup: group, name: herd },
    };
  },
  labels: ['farm.example.com/herd', 'farm.example.com/farm'],
  annotations: ['herds.example.com/size'],
  groupObjects: [{ group, kind: 'PodGroup', resource: 'podgroups' }],
  owners: [{ group, kind: 'Farm', resource: 'farms', scale: 'groups', templates: ['spec.barn.template'] }],
  labelledOwner: { group, kind: 'Farm', nameOf: (labels) => labels['farm.example.com/farm'] },
  podMakers: [
    {
      group,
      kinds: ['Farm'],
      podSet: ({ metadata }) => ({
        count: 6,
        mark: (index) => ({
          labels: {
            'farm.example.com/farm': metadata.name,
            'farm.example.com/herd': `${metadata.name}-${Math.floor(index / 3)}`,
          },
          annotations: { 'herds.example.com/size': '3' },
        }),
      }),
    },
  ],
};
