import type { Shape } from './fleet.ts';
import type { OperatorsWish } from './operators.ts';

/** How pods are protected while they are evicted. */
export interface Case {
  readonly key: CaseKey;
  readonly title: string;
  readonly shape: Shape;
}

export type CaseKey = 'builtin' | 'none' | 'groups-1' | 'pub-1' | 'groups-3' | 'pub-3' | 'pub-pinned' | 'kruise';

/** What is measured while these operators run, in this order. */
export interface Phase {
  readonly operators: OperatorsWish | undefined;
  readonly cases: readonly Case[];
}

export const phases: readonly Phase[] = [
  {
    operators: undefined,
    cases: [
      { key: 'builtin', title: 'built-in PDB', shape: 'builtin' },
      { key: 'none', title: 'no budget at all', shape: 'none' },
    ],
  },
  {
    operators: { replicas: 1, takeover: 'on' },
    cases: [
      { key: 'groups-1', title: 'PDB over groups, 1 replica', shape: 'groups' },
      { key: 'pub-1', title: 'PUB, 1 replica', shape: 'pub' },
    ],
  },
  {
    operators: { replicas: 3, takeover: 'on' },
    cases: [
      { key: 'groups-3', title: 'PDB over groups, 3 replicas', shape: 'groups' },
      { key: 'pub-3', title: 'PUB, 3 replicas', shape: 'pub' },
    ],
  },
  {
    operators: { replicas: 1, takeover: 'off' },
    cases: [{ key: 'pub-pinned', title: 'PUB, 1 replica, `--takeover=off`', shape: 'pub' }],
  },
];

/** On a control plane of its own, where no Holdfast is: the definitions of both have the same name. */
export const kruiseCase: Case = { key: 'kruise', title: 'PUB of OpenKruise, 1 manager', shape: 'pub' };

export const sizes = [300, 2_000] as const;
export const concurrencies = [1, 8, 32, 128] as const;
