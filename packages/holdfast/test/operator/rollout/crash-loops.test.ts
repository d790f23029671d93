import { expect, it } from 'vitest';
import type { Pod } from '../../../src/api/pod.ts';
import { noteTroubles, sinceTrouble, type Troubles } from '../../../src/operator/rollout/crash-loops.ts';
import { at, pod } from '../../core/rollout/builders.ts';

interface Look {
  /** Seconds from noon: when it is looked at, and when the pod last changed between ready and not. */
  readonly now: number;
  readonly changed: number;
  readonly ready: boolean;
  readonly restarts: number;
}

const settleMs = 30_000;

function one({ changed, ready, restarts }: Look): Pod {
  return pod('web-0', { revision: 'old', ready: ready ? 'True' : 'False', changed, restarts });
}

/** Since when it is not ready, in seconds from noon, as the planner is told at the end. */
function since(...looks: readonly Look[]): number {
  let troubles: Troubles = new Map();
  let pods: readonly Pod[] = [];
  for (const look of looks) {
    pods = [one(look)];
    troubles = noteTroubles(troubles, { pods, settleMs, now: at(look.now) });
    pods = sinceTrouble(pods, troubles);
  }
  const told = pods[0]?.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? '';
  return (Date.parse(told) - at(0)) / 1_000;
}

const crash = { now: 10, changed: 10, ready: false, restarts: 0 };
const moment = { now: 21, changed: 20, ready: true, restarts: 1 };

const cases: Readonly<Record<string, [readonly Look[], number]>> = {
  'a pod that is not ready is so since it says': [[crash], 10],
  'a moment between two restarts does not count': [
    [crash, moment, { now: 22, changed: 22, ready: false, restarts: 1 }],
    10,
  ],
  'also when no look saw it': [[crash, { now: 22, changed: 22, ready: false, restarts: 1 }], 10],
  'nor does the next one': [
    [
      crash,
      moment,
      { now: 22, changed: 22, ready: false, restarts: 1 },
      { now: 44, changed: 42, ready: true, restarts: 2 },
      { now: 45, changed: 45, ready: false, restarts: 2 },
    ],
    10,
  ],
  'a pod that was ready for the settle time has recovered': [
    [crash, { ...moment, now: 50 }, { now: 51, changed: 51, ready: false, restarts: 2 }],
    51,
  ],
  'a pod that lost its readiness without a restart had recovered': [
    [crash, { ...moment, restarts: 0 }, { now: 22, changed: 22, ready: false, restarts: 0 }],
    22,
  ],
  'a pod that is ready is ready since it says': [[crash, moment], 20],
};

for (const [sentence, [looks, wanted]] of Object.entries(cases)) {
  it(sentence, () => expect(since(...looks)).toBe(wanted));
}

it('a pod without a condition, or without a time, is as it is', () => {
  const bare: readonly Pod[] = [
    { metadata: { name: 'web-0', uid: 'a' } },
    { metadata: { name: 'web-1', uid: 'b' }, status: { conditions: [{ type: 'Ready', status: 'False' }] } },
    { metadata: { name: 'web-2' } },
  ];
  const troubles = noteTroubles(new Map(), { pods: bare, settleMs, now: at(0) });
  expect(troubles.size).toBe(0);
  expect(sinceTrouble(bare, troubles)).toEqual(bare);
});

it('what is gone is forgotten', () => {
  const known: Troubles = new Map([['gone', { since: 1, changed: 1, restarts: 0 }]]);
  expect(noteTroubles(known, { pods: [], settleMs, now: at(0) }).size).toBe(0);
});
