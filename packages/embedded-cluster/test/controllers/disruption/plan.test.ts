import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodObject } from '../../../src/controllers/common/workloads.ts';
import type { BudgetObject } from '../../../src/controllers/disruption/budget.ts';
import { planBudget } from '../../../src/controllers/disruption/plan-disruption.ts';
import { selectorAsGoText } from '../../../src/controllers/disruption/selector-text.ts';
import { aPod, at, budget, now, pods, scales } from './budgets.ts';

function plan(
  of: BudgetObject,
  selected: readonly PodObject[],
  replicas: Record<string, number> = { web: selected.length },
) {
  return planBudget(of, { kind: 'pods', pods: selected }, scales(replicas), now);
}

/** Healthy, desired, expected, allowed. */
function numbers(of: BudgetObject, selected: readonly PodObject[], replicas?: Record<string, number>) {
  const status = plan(of, selected, replicas).status;
  return [status?.currentHealthy, status?.desiredHealthy, status?.expectedPods, status?.disruptionsAllowed];
}

const conditionOf = (status: BudgetObject['status']) =>
  status?.conditions?.find(({ type }) => type === 'DisruptionAllowed');

describe('the numbers of a budget', () => {
  const unready = { owner: 'web', ready: false };
  const table: [string, NonNullable<BudgetObject['spec']>, PodObject[], Record<string, number>, number[]][] = [
    ['a maximum counts from the scale', { maxUnavailable: 1 }, pods(5), { web: 5 }, [5, 4, 5, 1]],
    ['a maximum counts pods that are not there yet', { maxUnavailable: 1 }, pods(3), { web: 5 }, [3, 4, 5, 0]],
    ['a maximum counts pods beyond the scale as spare', { maxUnavailable: 1 }, pods(6), { web: 5 }, [6, 4, 5, 2]],
    ['a maximum of none allows none', { maxUnavailable: 0 }, pods(5), { web: 5 }, [5, 5, 5, 0]],
    ['a maximum above the scale needs no pod', { maxUnavailable: 9 }, pods(5), { web: 5 }, [5, 0, 5, 5]],
    ['a maximum in percent is rounded up', { maxUnavailable: '30%' }, pods(7), { web: 7 }, [7, 4, 7, 3]],
    ['a maximum of 1 % still lets one go', { maxUnavailable: '1%' }, pods(3), { web: 3 }, [3, 2, 3, 1]],
    ['a maximum of 100 % needs no pod', { maxUnavailable: '100%' }, pods(3), { web: 3 }, [3, 0, 3, 3]],
    ['a maximum of 0 % allows none', { maxUnavailable: '0%' }, pods(3), { web: 3 }, [3, 3, 3, 0]],
    ['a minimum counts the pods there are', { minAvailable: 2 }, pods(5), { web: 9 }, [5, 2, 5, 3]],
    ['a minimum above the pods there are allows none', { minAvailable: 7 }, pods(5), { web: 5 }, [5, 7, 5, 0]],
    ['a minimum of none allows all', { minAvailable: 0 }, pods(5), { web: 5 }, [5, 0, 5, 5]],
    ['a minimum asks no controller for its scale', { minAvailable: 1 }, pods(2), {}, [2, 1, 2, 1]],
    ['a minimum in percent is rounded up', { minAvailable: '50%' }, pods(7), { web: 7 }, [7, 4, 7, 3]],
    ['a minimum in percent counts from the scale', { minAvailable: '50%' }, pods(4), { web: 10 }, [4, 5, 10, 0]],
    ['a minimum of 100 % allows none', { minAvailable: '100%' }, pods(4), { web: 4 }, [4, 4, 4, 0]],
    ['neither of them expects nothing', {}, pods(4), { web: 4 }, [4, 0, 0, 0]],
    ['no pods at all are no spare pods', { maxUnavailable: '50%' }, [], {}, [0, 0, 0, 0]],
    ['no pods under a minimum', { minAvailable: 1 }, [], {}, [0, 1, 0, 0]],
    ['a minimum of none without pods', { minAvailable: 0 }, [], {}, [0, 0, 0, 0]],
    ['a scale of none allows none, whatever is left', { maxUnavailable: 1 }, pods(2), { web: 0 }, [2, 0, 0, 0]],
    ['pods that are not ready do not count', { minAvailable: 1 }, [...pods(2), aPod('x', unready)], {}, [2, 1, 3, 1]],
    [
      'pods on their way out are expected and not healthy',
      { minAvailable: 1 },
      [...pods(2), aPod('x', { owner: 'web', terminating: true })],
      {},
      [2, 1, 3, 1],
    ],
    [
      'the phase is not looked at',
      { minAvailable: 1 },
      [aPod('a', { phase: 'Pending' }), aPod('b', { phase: 'Failed' })],
      {},
      [2, 1, 2, 1],
    ],
    [
      'scales of several controllers add up',
      { maxUnavailable: 2 },
      [...pods(3), ...pods(2, { owner: 'db' })],
      { web: 3, db: 4 },
      [5, 5, 7, 0],
    ],
    [
      'pods without a controller are left out of the scale',
      { maxUnavailable: 1 },
      [...pods(3), aPod('bare')],
      { web: 3 },
      [4, 2, 3, 2],
    ],
    ['only pods without a controller expect nothing', { maxUnavailable: 1 }, [aPod('bare')], {}, [1, 0, 0, 0]],
  ];
  it.each(table)('%s', (_name, spec, selected, replicas, expected) => {
    expect(numbers(budget(spec), selected, replicas)).toEqual(expected);
  });

  it('never allow more than the healthy pods above the desired ones', () => {
    const amount = fc.oneof(
      fc.nat(20),
      fc.nat(100).map((percent) => `${percent}%`),
    );
    const bounds = fc.oneof(
      amount.map((maxUnavailable) => ({ maxUnavailable })),
      amount.map((minAvailable) => ({ minAvailable })),
    );
    fc.assert(
      fc.property(bounds, fc.array(fc.boolean(), { maxLength: 20 }), fc.nat(30), (spec, readiness, replicas) => {
        const selected = readiness.map((ready, index) => aPod(`p-${index}`, { owner: 'web', ready }));
        const [healthy = 0, desired = 0, expected = 0, allowed = 0] = numbers(budget(spec), selected, {
          web: replicas,
        });
        expect(healthy).toBe(readiness.filter(Boolean).length);
        expect(allowed).toBe(expected > 0 ? Math.max(0, healthy - desired) : 0);
        expect(desired).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('pods that were allowed to go', () => {
  const disrupted = (entries: Record<string, string>) => budget({ minAvailable: 1 }, { disruptedPods: entries });

  it('do not count as healthy, and are looked at again when the first entry runs out', () => {
    const made = plan(disrupted({ 'web-0': at(-50), 'web-1': at(-10) }), pods(4));
    expect(made.status).toMatchObject({
      currentHealthy: 2,
      disruptionsAllowed: 1,
      disruptedPods: { 'web-0': at(-50), 'web-1': at(-10) },
    });
    expect(made.recheckAtMs).toBe(now + 70_000);
    expect(made.events).toEqual([]);
  });

  it.each([
    ['counts again at the very end of its two minutes, and is still listed', -120, { 'web-0': at(-120) }, 4, []],
    ['counts again after two minutes, with a word about it', -121, undefined, 4, ['NotDeleted']],
    ['does not count just before that', -119, { 'web-0': at(-119) }, 3, []],
  ])('%s', (_name, since, listed, healthy, reasons) => {
    const made = plan(disrupted({ 'web-0': at(since) }), pods(4));
    expect(made.status?.disruptedPods).toEqual(listed);
    expect(made.status?.currentHealthy).toBe(healthy);
    expect(made.events.map(({ reason }) => reason)).toEqual(reasons);
  });

  it('tells about a pod that stayed in the words of Kubernetes, namespace twice', () => {
    const [event] = plan(disrupted({ 'web-0': at(-121) }), pods(1)).events;
    expect(event).toMatchObject({
      type: 'Warning',
      about: { metadata: { name: 'web-0' } },
      message: "Pod was expected by PDB default/default to be deleted but it wasn't",
    });
  });

  it('are forgotten when they are on their way, gone, or no longer selected', () => {
    const going = aPod('web-0', { owner: 'web', terminating: true });
    const made = plan(disrupted({ 'web-0': at(-5), 'web-9': at(-5) }), [going, ...pods(3).slice(1)]);
    expect(made.status).not.toHaveProperty('disruptedPods');
    expect(made.recheckAtMs).toBeUndefined();
  });

  it('may have names that objects have of themselves', () => {
    const entries = JSON.parse(`{"__proto__": "${at(-5)}", "constructor": "${at(-5)}"}`) as Record<string, string>;
    const selected = [aPod('__proto__'), aPod('constructor'), aPod('toString')];
    const made = plan(budget({ minAvailable: 1 }, { disruptedPods: entries }), selected);
    expect(made.status?.currentHealthy).toBe(1);
    expect(Object.keys(made.status?.disruptedPods ?? {})).toEqual(['__proto__', 'constructor']);
  });
});

describe('the status of a budget', () => {
  it('says that a disruption is allowed, and for which generation', () => {
    const { status } = plan(budget({ minAvailable: 1 }), pods(3));
    expect(status?.observedGeneration).toBe(1);
    expect(status?.conditions).toEqual([
      {
        type: 'DisruptionAllowed',
        status: 'True',
        reason: 'SufficientPods',
        message: '',
        observedGeneration: 1,
        lastTransitionTime: at(0),
      },
    ]);
  });

  it('says that none is, without a message', () => {
    const { status } = plan(budget({ minAvailable: 3 }), pods(3));
    expect(conditionOf(status)).toMatchObject({ status: 'False', reason: 'InsufficientPods', message: '' });
  });

  it('is left alone where it says all of that already', () => {
    const first = plan(budget({ minAvailable: 1 }), pods(3)).status;
    expect(
      plan({ ...budget({ minAvailable: 1 }), ...(first ? { status: first } : {}) }, pods(3)).status,
    ).toBeUndefined();
  });

  it.each([
    ['a new generation', { observedGeneration: 0 }],
    ['other numbers', { currentHealthy: 2 }],
    ['other pods expected', { expectedPods: 4 }],
    ['an entry too many', { disruptedPods: { gone: at(-1) } }],
    ['no condition', { conditions: [] }],
    [
      'a condition of a failed look',
      {
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            reason: 'SyncFailed',
            message: 'x',
            lastTransitionTime: at(-9),
          },
        ],
      },
    ],
  ])('is written for %s', (_name, different) => {
    const first = plan(budget({ minAvailable: 1 }), pods(3)).status;
    const changed = { ...first, ...different } as NonNullable<BudgetObject['status']>;
    expect(plan({ ...budget({ minAvailable: 1 }), status: changed }, pods(3)).status).toEqual({
      ...first,
      conditions: [expect.objectContaining({ status: 'True', reason: 'SufficientPods', message: '' })],
    });
  });

  it('keeps conditions of others in their places, and the time of the last change', () => {
    const foreign = {
      type: 'example.com/Other',
      status: 'True',
      reason: 'X',
      message: '',
      lastTransitionTime: at(-99),
    };
    const own = {
      type: 'DisruptionAllowed',
      status: 'True',
      reason: 'SufficientPods',
      message: '',
      lastTransitionTime: at(-50),
    };
    const conditions = plan(budget({ minAvailable: 1 }, { conditions: [own, foreign] }), pods(3)).status?.conditions;
    expect(conditions).toEqual([{ ...own, observedGeneration: 1 }, foreign]);
    const refused = plan(budget({ minAvailable: 3 }, { conditions: [foreign, own] }), pods(3)).status?.conditions;
    expect(refused?.[0]).toEqual(foreign);
    expect(refused?.[1]).toMatchObject({ status: 'False', lastTransitionTime: at(0) });
  });
});

describe('a budget that cannot be worked out', () => {
  it('allows nothing, keeps its other numbers, and says why', () => {
    const before = {
      observedGeneration: 1,
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      disruptionsAllowed: 1,
    };
    const made = plan(budget({ maxUnavailable: 1 }, before), pods(2), {});
    expect(made.status).toEqual({
      ...before,
      disruptionsAllowed: 0,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'False',
          reason: 'SyncFailed',
          message: 'found no controllers for pod "web-0"',
          observedGeneration: 1,
          lastTransitionTime: at(0),
        },
      ],
    });
    expect(made.events).toMatchObject([
      {
        type: 'Warning',
        reason: 'CalculateExpectedPodCountFailed',
        message: 'Failed to calculate the number of expected pods: found no controllers for pod "web-0"',
      },
    ]);
  });

  it('does not claim to have seen a generation that it never worked out', () => {
    const made = plan(budget({ maxUnavailable: 1 }), pods(1), {});
    expect(made.status).not.toHaveProperty('observedGeneration');
    expect(conditionOf(made.status)).not.toHaveProperty('observedGeneration');
  });

  it('reports a selector that cannot be read', () => {
    const made = planBudget(budget({ minAvailable: 1 }), { kind: 'error', message: 'bad selector' }, scales({}), now);
    expect(conditionOf(made.status)).toMatchObject({ reason: 'SyncFailed', message: 'bad selector' });
    expect(made.events).toMatchObject([
      { type: 'Warning', reason: 'NoPods', message: 'Failed to get pods: bad selector' },
    ]);
  });
});

describe('events about a budget', () => {
  it('tells when it selects nothing', () => {
    expect(plan(budget({ minAvailable: 1 }), []).events).toMatchObject([
      { type: 'Normal', reason: 'NoPods', message: 'No matching pods found' },
    ]);
  });

  it('warns about pods without a controller where the scale counts', () => {
    const [event] = plan(budget({ maxUnavailable: 1 }), [aPod('bare')]).events;
    expect(event).toMatchObject({ type: 'Warning', reason: 'UnmanagedPods' });
    expect(event?.message).toBe(
      'Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},' +
        'MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the status of the PDB ' +
        'cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ' +
        '".spec.minAvailable" field of the PDB to an integer value.',
    );
    expect(plan(budget({ minAvailable: 1 }), [aPod('bare')]).events).toEqual([]);
  });

  it('prints selectors with expressions, labels in order', () => {
    const matchExpressions = [
      { key: 'tier', operator: 'In', values: ['a', 'b'] },
      { key: 'x', operator: 'Exists' },
    ];
    expect(selectorAsGoText({ matchLabels: { b: '2', a: '1' }, matchExpressions })).toBe(
      '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{' +
        'LabelSelectorRequirement{Key:tier,Operator:In,Values:[a b],},' +
        'LabelSelectorRequirement{Key:x,Operator:Exists,Values:[],},},}',
    );
  });
});
