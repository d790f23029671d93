import { expect, test } from 'vitest';
import type { Pod } from '../../../src/api/pod.ts';
import type { StatefulSet } from '../../../src/api/statefulset.ts';
import { formatRolloutState } from '../../../src/core/rollout/format.ts';
import { planEnforcedRollout } from '../../../src/core/rollout/plan-rollout.ts';
import type { RemovalVerdict } from '../../../src/core/rollout/state.ts';
import { at, healthy, noon, type SetShape, statefulSet } from './builders.ts';

export interface Case {
  readonly set?: SetShape | StatefulSet;
  readonly pods?: readonly Pod[];
  readonly deny?: readonly string[];
  /** What people read; it names the state, the pod and the time. */
  readonly want: string;
  /** Why, and which. */
  readonly removes?: string;
  /** Seconds from noon. */
  readonly next?: number;
  /** The pods a budget is asked about: by default those that are removed or refused. */
  readonly asks?: readonly string[];
}

export const annotations = (settle: string) => ({
  'holdfast.dev/update-strategy': 'EnforcedRollingUpdate',
  'holdfast.dev/rollout-settle-seconds': settle,
});

/** One test for each sentence. */
export function table(cases: Record<string, Case>): void {
  for (const [sentence, { set = {}, pods = [], deny = [], want, removes, next, asks }] of Object.entries(cases)) {
    test(sentence, () => {
      const asked: string[] = [];
      const verdictOf = ({ metadata: { name } }: Pod): RemovalVerdict => {
        asked.push(name);
        return deny.includes(name)
          ? { result: 'deny', message: `budget shop says no to ${name}` }
          : { result: 'allow' };
      };
      const plan = planEnforcedRollout('metadata' in set ? set : statefulSet(set), pods, verdictOf, noon);
      expect(formatRolloutState(plan.state)).toBe(want);
      const { removal } = plan;
      expect(removal === undefined ? undefined : `${removal.why} ${removal.pod}`).toBe(removes);
      expect(plan.nextCheckAt).toBe(next === undefined ? undefined : at(next));
      expect(asked).toEqual(asks ?? [...deny, ...(removes?.split(' ').slice(1) ?? [])]);
    });
  }
}

export const replacedWeb0 = 'deleted web-0: it was not ready on revision old, and its replacement has revision new';
export const upToDate = 'idle: every replica is healthy and on the update revision';
export const healthyWeb = [healthy('web-0'), healthy('web-1'), healthy('web-2')];
