import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, aWorld } from '../../../../../test/support/a-world.ts';
import { aPod, aPub, ns } from '../../../../../test/support/builders.ts';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import type { PodUnavailableBudget } from '../../../src/api/pub/pub.ts';
import { type RefusalCode, refusalCodes } from '../../../src/api/refusals/reasons.ts';
import { outlookOf } from '../../../src/api/refusals/refusal-outlook.ts';
import { blocker, deny } from '../../../src/core/decide/refusal.ts';
import type { DisruptionRequest } from '../../../src/core/request.ts';
import type { BudgetRef, Charge, Verdict } from '../../../src/core/verdict.ts';
import { EventAggregator, type EventNote } from '../../../src/kube/events/recorder.ts';
import { ObjectCache } from '../../../src/kube/reflector/cache.ts';
import { disruptionEvents, notesOf, uidsFrom } from '../../../src/operator/admission/decisions.ts';

function notesFor(
  request: DisruptionRequest,
  verdict: Verdict,
  uids: Parameters<typeof notesOf>[1],
  mode: 'enforce' | 'observe' = 'enforce',
): ReturnType<typeof notesOf> {
  return notesOf({ request, verdict, mode }, uids);
}

const request: DisruptionRequest = { operation: 'EVICT', namespace: 'shop', pod: 'web-0' };
const pod = { name: 'web-0' };
const llm: BudgetRef = { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'llm' };
const web: BudgetRef = { kind: 'PodUnavailableBudget', namespace: 'shop', name: 'web' };
const uids = {
  pod: (namespace: string, name: string) => `uid of ${namespace}/${name}`,
  budget: ({ name }: BudgetRef) => (name === 'llm' ? 'uid of llm' : undefined),
};
const facts = { unit: 'g1', unitKind: 'group', available: 2, desired: 2, detail: 'd' } as const;
const refused = (...codes: readonly (readonly [RefusalCode, BudgetRef?])[]): Verdict =>
  deny(codes.map(([code, budget]) => blocker(code, { pod, ...facts, ...(budget === undefined ? {} : { budget }) })));
const allowed = (...charges: readonly Charge[]): Verdict => ({
  result: 'allow',
  reason: 'WithinBudget',
  charges,
  effects: { complete: 'pass' },
});
const charge = (effect: Charge['effect'], budget = llm): Charge => ({
  budget,
  unit: 'g1',
  unitKind: 'group',
  effect,
  available: 3,
  desired: 2,
});

const inShort = ({ subject, type, reason }: EventNote) => `${type} ${reason} ${subject.kind}/${subject.name}`;
const told = (verdict: Verdict, more: Partial<DisruptionRequest> = {}) =>
  notesFor({ ...request, ...more }, verdict, uids).map(inShort);

describe('a refusal is told', () => {
  it('on the pod, and on each budget that refuses, once', () => {
    const verdict = refused(['BudgetExhausted', llm], ['BudgetExhausted', web], ['BudgetExhausted', llm]);
    expect(told(verdict)).toEqual([
      'Normal DisruptionRefused Pod/web-0',
      'Normal DisruptionRefused PodDisruptionBudget/llm',
      'Normal DisruptionRefused PodUnavailableBudget/web',
    ]);
  });

  it('with its numbers and what would help, on the objects that are meant', () => {
    expect(notesFor(request, refused(['BudgetExhausted', llm], ['ProbeVeto']), uids)).toEqual([
      {
        subject: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'uid of shop/web-0' },
        type: 'Normal',
        reason: 'DisruptionRefused',
        message:
          'eviction of pod web-0 was refused: PDB llm needs 2 available groups and has 2; ' +
          'disrupting web-0 takes group g1 down and leaves 1 (and 1 more reason); wait until 1 more group is available, or lower the budget',
      },
      {
        subject: {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          namespace: 'shop',
          name: 'llm',
          uid: 'uid of llm',
        },
        type: 'Normal',
        reason: 'DisruptionRefused',
        message:
          'eviction of pod web-0 was refused: PDB llm needs 2 available groups and has 2; ' +
          'disrupting web-0 takes group g1 down and leaves 1; wait until 1 more group is available, or lower the budget',
      },
    ]);
  });

  it('with the uid of the request, where it has one, and without any, where it is unknown', () => {
    const [onPod, onBudget] = notesFor({ ...request, uid: 'u1' }, refused(['BudgetExhausted', web]), uids);
    expect([onPod?.subject.uid, onBudget?.subject]).toEqual([
      'u1',
      {
        apiVersion: 'policy.kruise.io/v1beta1',
        kind: 'PodUnavailableBudget',
        namespace: 'shop',
        name: 'web',
      },
    ]);
  });

  it.each(refusalCodes)(
    'as a warning only when a person has to change something, and not at all for a moment: %s',
    (code) => {
      const outlook = outlookOf(code);
      const types = notesFor(request, refused([code, llm]), uids).map(({ type }) => type);
      const one = outlook === 'change' ? 'Warning' : 'Normal';
      expect(types).toEqual(outlook === 'moment' ? [] : [one, one]);
    },
  );

  it('without what is only of the moment', () => {
    expect(told(refused(['CacheStale'], ['BudgetExhausted', llm]))).toHaveLength(2);
    expect(notesFor(request, refused(['CacheStale'], ['ProbeVeto']), uids)[0]?.message).not.toContain('more reason');
  });

  it('on a few budgets at most', () => {
    const many = Array.from({ length: 40 }, (_, i): BudgetRef => ({ ...llm, name: `b${i}` }));
    expect(told(refused(...many.map((one) => ['BudgetExhausted', one] as const)))).toHaveLength(6);
  });
});

describe('what was allowed is told', () => {
  it('on its budgets, not on the pod, which is going', () => {
    expect(told(allowed(charge('breaks'), charge('surplus', web)))).toEqual([
      'Normal DisruptionAllowed PodDisruptionBudget/llm',
      'Normal DisruptionAllowed PodUnavailableBudget/web',
    ]);
  });

  it.each([
    ['breaks', 'it takes group g1 down; 2 groups are left, and 2 are needed'],
    ['surplus', 'group g1 stays available without it; 3 groups are left, and 2 are needed'],
    ['down', 'group g1 was down before; 3 groups are left, and 2 are needed'],
  ] as const)('with what it cost: %s', (effect, text) => {
    const [note] = notesFor({ ...request, operation: 'DELETE' }, allowed(charge(effect)), uids);
    expect(note?.message).toBe(`deletion of pod web-0 was allowed: ${text}`);
  });

  it('not where no budget was asked', () => {
    expect(told(allowed())).toEqual([]);
  });
});

it('[I6] a dry run makes no event', () => {
  expect(told(refused(['BudgetExhausted', llm]), { dryRun: true })).toEqual([]);
  expect(told(allowed(charge('breaks')), { dryRun: true })).toEqual([]);
});

describe('the same refusal again', () => {
  it('is the same event, whatever the time, the version of the view and the user', () => {
    const pub = aPub('web', { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 });
    fc.assert(
      fc.property(fc.integer({ min: 101, max: 9_999 }), fc.boolean(), (version, byDelete) => {
        const world = aWorld({ pods: [aPod('web-0').labels({ app: 'web' })], pubs: [pub] });
        const operation = byDelete ? 'DELETE' : 'EVICT';
        const first = notesFor({ ...request, operation }, ask(world, operation, 'web-0'), uids);
        world.upsertPod(aPod('web-0').labels({ app: 'web' }).version(String(version)).build());
        world.setSynced('pods', String(version));
        const requester = { kind: 'other' } as const;
        const again = notesFor({ ...request, operation, requester }, ask(world, operation, 'web-0'), uids);
        expect(first).toHaveLength(2);
        expect(again).toEqual(first);
      }),
      { numRuns: 50 },
    );
  });

  it('is counted up, and not sent as a new event', () => {
    const aggregator = new EventAggregator();
    const names = new Set<string | undefined>();
    const events = disruptionEvents({ record: (note) => void names.add(aggregator.add(note, 0)?.eventName) }, uids);
    const verdict = refused(['BudgetExhausted', llm]);
    const decision = { request, verdict, mode: 'enforce', client: { user: 'alice' }, milliseconds: 1 } as const;
    for (let i = 0; i < 10; i += 1) events.decided(decision);
    expect(names.size).toBe(2);
  });
});

describe('[E1] what would be refused in a namespace that is observed', () => {
  it('is told on pod and budget, in words of its own', () => {
    const notes = notesFor(request, refused(['BudgetExhausted', llm]), uids, 'observe');
    expect(notes.map(inShort)).toEqual([
      'Normal DisruptionObserved Pod/web-0',
      'Normal DisruptionObserved PodDisruptionBudget/llm',
    ]);
    expect(notes[0]?.message).toMatch(/^eviction of pod web-0 would be refused, and observe mode let it pass: /);
  });

  it('[I6] is not told of a dry run', () => {
    expect(notesFor({ ...request, dryRun: true }, refused(['BudgetExhausted', llm]), uids, 'observe')).toEqual([]);
  });
});

it('uids come from what is in view', () => {
  const world = aWorld({ pods: [aPod('web-0')] });
  const report = () => undefined;
  const views = {
    pdbs: new ObjectCache<PodDisruptionBudget>({ report }),
    pubs: new ObjectCache<PodUnavailableBudget>({ report }),
  };
  const pub = aPub('web', {});
  views.pubs.replace([{ ...pub, metadata: { ...pub.metadata, uid: 'u-pub' } }], '1');
  const found = uidsFrom(world, views);
  expect(found.pod(ns, 'web-0')).toBe('uid-web-0');
  expect(found.pod(ns, 'web-9')).toBeUndefined();
  expect(found.budget(web)).toBe('u-pub');
  expect(found.budget(llm)).toBeUndefined();
});
