import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { describe, expect, it } from 'vitest';
import { checkAndDecrement } from '../../src/eviction/pdb-check.ts';

const now = '2026-01-01T00:00:00Z';
type Status = NonNullable<PodDisruptionBudget['status']>;

function budget(status: Partial<Status>, generation = 1): PodDisruptionBudget {
  return {
    metadata: { name: 'b', generation },
    status: {
      observedGeneration: 1,
      disruptionsAllowed: 1,
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      ...status,
    },
  };
}

function refusal(pdb: PodDisruptionBudget) {
  const check = checkAndDecrement(pdb, 'p', now);
  return check.kind === 'refused' ? check.error.status : undefined;
}

describe("the built-in check of a pod's budget", () => {
  it('spends one, and remembers the pod', () => {
    expect(checkAndDecrement(budget({ disruptionsAllowed: 2 }), 'p', now)).toMatchObject({
      kind: 'allowed',
      status: { disruptionsAllowed: 1, disruptedPods: { p: now } },
    });
  });

  it('says so when it spent the last one', () => {
    expect(checkAndDecrement(budget({}), 'p', now)).toMatchObject({
      status: {
        disruptionsAllowed: 0,
        conditions: [
          { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', lastTransitionTime: now },
        ],
      },
    });
  });

  const refusals: [what: string, pdb: PodDisruptionBudget, code: number, retry: number | undefined, cause: string][] = [
    [
      'a spec that was not reconciled yet',
      budget({}, 2),
      429,
      10,
      'The disruption budget b is still being processed by the server.',
    ],
    [
      'too few healthy pods',
      budget({ disruptionsAllowed: 0, currentHealthy: 2 }),
      429,
      undefined,
      'The disruption budget b needs 2 healthy pods and has 2 currently',
    ],
    [
      'a failed sync, before everything else',
      budget({
        disruptionsAllowed: 0,
        currentHealthy: 1,
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            reason: 'SyncFailed',
            message: 'no scale',
            lastTransitionTime: now,
          },
        ],
      }),
      429,
      undefined,
      'The disruption budget b does not allow evicting pods currently because it failed sync: no scale',
    ],
    [
      'a condition that explains itself',
      budget({
        disruptionsAllowed: 0,
        conditions: [
          { type: 'DisruptionAllowed', status: 'False', reason: 'Why', message: 'because', lastTransitionTime: now },
        ],
      }),
      429,
      undefined,
      'The disruption budget b does not allow evicting pods currently (Why): because',
    ],
    [
      'no reason at all',
      budget({ disruptionsAllowed: 0 }),
      429,
      undefined,
      'The disruption budget b does not allow evicting pods currently',
    ],
    [
      'a number that cannot be',
      budget({ disruptionsAllowed: -1 }),
      403,
      undefined,
      'The disruption budget b does not allow evicting pods currently: pdb disruptions allowed is negative',
    ],
    [
      'too many evictions in flight',
      budget({ disruptedPods: Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`p${index}`, now])) }),
      403,
      undefined,
      'The disruption budget b does not allow evicting pods currently: too many pending evictions not confirmed by PDB controller',
    ],
  ];
  it.each(refusals)('refuses: %s', (_what, pdb, code, retryAfterSeconds, message) => {
    const status = refusal(pdb);
    expect(status).toMatchObject({ code, details: { causes: [{ reason: 'DisruptionBudget', message }] } });
    expect(status?.details?.retryAfterSeconds).toBe(retryAfterSeconds);
  });

  it('is in the singular where it forbids', () => {
    expect(refusal(budget({ disruptionsAllowed: -1 }))).toMatchObject({
      reason: 'Forbidden',
      message: 'poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative',
      details: { name: 'b', group: 'policy', kind: 'poddisruptionbudget' },
    });
  });

  it('says so in the place where it was said, of the generation that was seen', () => {
    const conditions = ['DisruptionAllowed', 'Other'].map((type) => ({
      type,
      status: 'True' as const,
      reason: 'r',
      message: '',
      lastTransitionTime: '2025-01-01T00:00:00Z',
    }));
    const check = checkAndDecrement(budget({ observedGeneration: 5, conditions }, 4), 'p', now);
    expect(check.kind === 'allowed' && check.status?.conditions).toEqual([
      expect.objectContaining({ reason: 'InsufficientPods', observedGeneration: 5, lastTransitionTime: now }),
      conditions[1],
    ]);
  });
});
