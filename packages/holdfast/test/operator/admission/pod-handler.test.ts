import { describe, expect, it } from 'vitest';
import { aPod, ns } from '../../../../../test/support/builders.ts';
import { blocker, deny } from '../../../src/core/decide/refusal.ts';
import type { DisruptionRequest } from '../../../src/core/request.ts';
import type { Allowed, Effects, Verdict } from '../../../src/core/verdict.ts';
import { World } from '../../../src/core/world/world.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { type Failure, failed, type Outcome, succeeded } from '../../../src/kube/outcome/failure.ts';
import type { GuardMode } from '../../../src/observe/guard/guard-mode.ts';
import { Admission } from '../../../src/operator/admission/admit.ts';
import { type BuiltinCounters, takeOver } from '../../../src/operator/admission/complete.ts';
import { Deadline } from '../../../src/operator/admission/deadline.ts';
import { defaultAdmissionLimits } from '../../../src/operator/admission/limits.ts';
import { type DecisionObserver, PodHandler } from '../../../src/operator/admission/pod-handler.ts';
import type { PodReading } from '../../../src/operator/admission/verify.ts';
import { type ReviewRequest, readReview } from '../../../src/operator/admission/wire/review.ts';
import { TestClock } from '../../kube/support/test-clock.ts';
import { evictionWish, podObject, type ReviewWish, reviewText } from './reviews.ts';

const operator = 'system:serviceaccount:holdfast-system:holdfast';

interface Script {
  /** What is decided, one after the other; the last one stays. */
  readonly verdicts: readonly Verdict[];
  readonly reading?: PodReading;
  readonly deletion?: Outcome<unknown>;
  /** A budget whose own counter does not allow the eviction. */
  readonly exhausted?: string;
  readonly reached?: boolean;
  /** The pod is not in the view. */
  readonly unseen?: boolean;
  /** Default: the namespace is guarded, and the view knows it. */
  readonly guard?: 'off' | 'onlyAtTheServer';
  /** What the view says of the namespace, and then the API server. */
  readonly seen?: GuardMode;
  readonly confirmed?: GuardMode | 'unreadable';
  /** Whether the owners behind a refusal are different when they are read again. */
  readonly scalesChanged?: boolean;
}

function bench(script: Script) {
  const world = new World();
  if (script.unseen !== true) world.upsertPod(aPod('web-0').build());
  const calls: string[] = [];
  const bodies: unknown[] = [];
  let asked = 0;
  const clock = new TestClock();
  const decide = (request: DisruptionRequest): Verdict => {
    calls.push(`judge ${request.operation} ${request.pod}`);
    const verdict = script.verdicts[Math.min(asked, script.verdicts.length - 1)];
    asked += 1;
    if (verdict === undefined) throw new Error('not scripted');
    return verdict;
  };
  const client: Pick<KubeClient, 'delete'> = {
    async delete(_resource, place, body) {
      calls.push(`delete ${place.name}`);
      bodies.push(body);
      return script.deletion ?? succeeded({});
    },
  };
  const counters: Pick<BuiltinCounters, 'take' | 'recount'> = {
    async recount(namespace, budget) {
      calls.push(`recount ${namespace}/${budget}`);
    },
    async take({ pod, budgets }) {
      if (budgets.length > 0) calls.push(`take ${pod} from ${budgets.join(', ')}`);
      if (script.exhausted !== undefined) return { kind: 'refused', budget: script.exhausted, why: 'it allows 0' };
      return { kind: 'taken', giveBack: async () => void (budgets.length > 0 && calls.push('give back')) };
    },
  };
  const observer: DecisionObserver = {
    decided: () => undefined,
    completed: (_, { kind }) => void calls.push(`completion ${kind}`),
  };
  const admission = new Admission({
    world,
    decide,
    // What was decided is written at once.
    commits: { reserve: async () => ({ verdict: last(script, asked), reserved: true }) },
    withdrawals: { add: () => void calls.push('withdraw') },
    access: {
      async read() {
        calls.push('read ledger');
        return { kind: 'found', ledger: { metadata: { name: 'default' } } };
      },
    },
    pods: {
      async read() {
        calls.push('read pod');
        return script.reading ?? { kind: 'missing' };
      },
    },
    views: {
      async reached(version) {
        calls.push(`wait for ${version}`);
        return script.reached ?? true;
      },
    },
    scales: {
      concerns: () => script.scalesChanged !== undefined,
      async readAgain(_request, denied) {
        calls.push(`read owners behind ${denied.blockers[0]?.code}`);
        return script.scalesChanged === true;
      },
    },
    counters,
    takeOver: (takeover, deadline) => takeOver(client, takeover, deadline),
    staleness: () => undefined,
    enforcement: { startingIn: () => undefined },
    events: {},
    completed: observer.completed,
    identity: 'a',
    limits: defaultAdmissionLimits,
  });
  const handler = new PodHandler({
    world,
    admission,
    counters,
    clock,
    options: () => ({}),
    self: { username: operator },
    observer,
    guards: {
      modeOf: () => script.seen ?? (script.guard === undefined ? 'enforce' : 'off'),
      async confirm(namespace) {
        calls.push(`confirm ${namespace}`);
        if (script.confirmed !== undefined) return script.confirmed === 'unreadable' ? undefined : script.confirmed;
        return script.guard === 'onlyAtTheServer' ? 'enforce' : 'off';
      },
    },
    callMs: 3_000,
  });
  return { handler, world, clock, calls, bodies };
}

function last({ verdicts }: Script, asked: number): Verdict {
  return verdicts[Math.min(asked, verdicts.length) - 1] ?? exhausted;
}

function review(wish: ReviewWish): ReviewRequest {
  const read = readReview(Buffer.from(reviewText(wish)));
  if (!read.ok) throw new Error(read.problem);
  return read.request;
}

async function answer(script: Script, wish: ReviewWish = evictionWish()) {
  const made = bench(script);
  const said = await made.handler.answer(review(wish), { deadline: new Deadline(made.clock, 9_000) });
  return { ...made, raw: said, said: said.allowed ? 'allowed' : `${said.code} ${said.message}` };
}

const target = { pod: 'web-0', uid: 'uid-web-0' };

function allowed(effects: Effects = { complete: 'pass', target }, reason: Allowed['reason'] = 'WithinBudget'): Allowed {
  const reserve = { operation: 'EVICT', uid: 'uid-web-0', pod: 'web-0', generation: 0 } as const;
  return { result: 'allow', reason, charges: [], effects: { reserve, ...effects } };
}

/** As the webhook that binds evictions leaves them. */
const bound = (options: object = {}) => evictionWish({ preconditions: { uid: 'uid-web-0' }, ...options });
const takeover = allowed({ complete: 'takeover', target });
const onlyIf = { pod: 'web-0', uid: 'uid-web-0', resourceVersion: '10' };
const insistent = allowed({ complete: 'takeover', target, onlyIf });
const exhausted = deny([blocker('LedgerFull', { pod: { name: 'web-0' }, detail: '9' })]);
const unknown = deny([blocker('PodUnknown', { pod: { name: 'web-0' } })]);
const found = (uid: string): PodReading => ({ kind: 'found', uid, resourceVersion: '42' });
const failure = (kind: Failure['kind']) => failed({ kind, message: 'so it was said' } as Failure);

describe('[O5] the owners behind a refusal', () => {
  it('are read once more, and the request is judged again when they are different', async () => {
    const pinned = evictionWish({ preconditions: { uid: 'uid-web-0' } });
    const { said, calls } = await answer({ verdicts: [exhausted, allowed()], scalesChanged: true }, pinned);
    expect([said, ...calls]).toEqual([
      'allowed',
      'judge EVICT web-0',
      'read owners behind LedgerFull',
      'judge EVICT web-0',
    ]);
  });

  it('are read once for each request, however often they change', async () => {
    const { said, calls } = await answer({ verdicts: [exhausted], scalesChanged: true });
    expect(said).toMatch(/^429 /);
    expect(calls).toEqual(['judge EVICT web-0', 'read owners behind LedgerFull', 'judge EVICT web-0']);
  });

  it('change nothing when they are as they were', async () => {
    const { said, calls } = await answer({ verdicts: [exhausted, allowed()], scalesChanged: false });
    expect(said).toMatch(/^429 /);
    expect(calls).toEqual(['judge EVICT web-0', 'read owners behind LedgerFull']);
  });
});

describe('[I13] a namespace that is not guarded', () => {
  it('is answered without acting: nothing is judged, reserved or deleted', async () => {
    const { said, calls } = await answer({ verdicts: [takeover], guard: 'off' });
    expect([said, ...calls]).toEqual(['allowed', 'confirm shop']);
  });

  it('in the view may be guarded at the API server, which then decides', async () => {
    const pinned = evictionWish({ preconditions: { uid: 'uid-web-0' } });
    const { said, calls } = await answer({ verdicts: [takeover], guard: 'onlyAtTheServer' }, pinned);
    expect([said, ...calls].slice(0, 3)).toEqual(['allowed', 'confirm shop', 'judge EVICT web-0']);
  });
});

describe('an eviction that budgets allow', () => {
  const pinned = evictionWish({ preconditions: { uid: 'uid-web-0' } });

  it('[P9] is let through where it is not taken over, and is bound to the uid', async () => {
    const { said, calls } = await answer({ verdicts: [allowed()] }, pinned);
    expect([said, ...calls]).toEqual(['allowed', 'judge EVICT web-0']);
  });

  it('[P9] is not let through by a name alone, and reserves nothing', async () => {
    const { said, calls } = await answer({ verdicts: [allowed()] });
    expect(said).toMatch(/^429 .*names pod web-0 and no uid/);
    expect(calls).toEqual(['judge EVICT web-0']);
  });

  it('[P9] by a name alone passes as a dry run', async () => {
    const { said } = await answer({ verdicts: [allowed()] }, evictionWish({ dryRun: ['All'] }));
    expect(said).toBe('allowed');
  });

  it('[P9] with a resourceVersion passes once that is read to be the pod that was judged', async () => {
    const insisting = evictionWish({ preconditions: { resourceVersion: '10' } });
    const same = await answer({ verdicts: [allowed()], reading: found('uid-web-0') }, insisting);
    expect([same.said, ...same.calls]).toEqual(['allowed', 'judge EVICT web-0', 'read pod']);
    const other = await answer({ verdicts: [allowed(), exhausted], reading: found('uid-of-the-successor') }, insisting);
    expect(other.said).toMatch(/^429 /);
    expect(other.calls).toEqual(['judge EVICT web-0', 'read pod', 'wait for 42', 'judge EVICT web-0', 'withdraw']);
  });

  it.each([
    ['by uid', takeover, undefined, { preconditions: { uid: 'uid-web-0' } }],
    [
      'by version, where the verdict rests on it',
      insistent,
      undefined,
      {
        preconditions: { uid: 'uid-web-0', resourceVersion: '10' },
      },
    ],
    [
      'with the grace that was asked for',
      takeover,
      { gracePeriodSeconds: 7 },
      {
        preconditions: { uid: 'uid-web-0' },
        gracePeriodSeconds: 7,
      },
    ],
    [
      'with a second of grace instead of none, so that the pod is still there afterwards',
      takeover,
      { gracePeriodSeconds: 0 },
      {
        preconditions: { uid: 'uid-web-0' },
        gracePeriodSeconds: 1,
      },
    ],
    [
      'with the propagation that was asked for',
      takeover,
      { propagationPolicy: 'Foreground' },
      {
        preconditions: { uid: 'uid-web-0' },
        propagationPolicy: 'Foreground',
      },
    ],
  ])('is completed by a deletion, %s', async (_title, verdict, options, body) => {
    const { said, bodies } = await answer({ verdicts: [verdict] }, bound(options));
    expect(said).toBe('allowed');
    // By that API servers know that they need not ask.
    expect(bodies).toEqual([{ propagationPolicy: 'Background', ...body }]);
  });

  it('[P9] that names no uid is completed, and not let pass: the API server could meet a successor of the pod', async () => {
    const { said, bodies } = await answer({ verdicts: [takeover] }, evictionWish());
    expect(said).toMatch(/^429 /);
    expect(bodies).toMatchObject([{ preconditions: { uid: 'uid-web-0' } }]);
  });

  it('[P9] is taken from the counters of plain PDBs before the pod is deleted', async () => {
    const verdicts = [allowed({ complete: 'takeover', target, count: ['a', 'b'] })];
    const { said, calls } = await answer({ verdicts }, bound());
    expect([said, ...calls.slice(1)]).toEqual([
      'allowed',
      'take web-0 from a, b',
      'delete web-0',
      'completion deleted',
    ]);
  });

  it('[P9] [I8] is "not now" where such a counter allows nothing: the pod stays', async () => {
    const verdicts = [allowed({ complete: 'takeover', target, count: ['a'] })];
    const { said, calls } = await answer({ verdicts, exhausted: 'a' });
    expect(said).toMatch(/^429 .*PDB a .*it allows 0/);
    expect(calls).not.toContain('delete web-0');
    expect(calls).toContain(`recount ${ns}/a`);
  });

  it('[P9] is given back to the counters where our deletion is refused: the API server takes it then', async () => {
    const verdicts = [allowed({ complete: 'takeover', target, count: ['a'] })];
    const { said, calls } = await answer({ verdicts, deletion: failure('denied') }, pinned);
    expect([said, calls.at(-1)]).toEqual(['allowed', 'give back']);
  });

  it('is left to the API server where the pod is gone by then: 404 is its word', async () => {
    const { said } = await answer({ verdicts: [takeover], deletion: failure('notFound') }, bound());
    expect(said).toBe('allowed');
  });

  it('[I5] is judged again when the pod has changed, and completed then', async () => {
    const script: Script = {
      verdicts: [insistent, exhausted],
      deletion: failure('conflict'),
      reading: found('uid-web-0'),
    };
    const { said, calls } = await answer(script);
    expect(said).toMatch(/^429 /);
    expect(calls).toEqual([
      'judge EVICT web-0',
      'delete web-0',
      'completion moved',
      'read pod',
      'wait for 42',
      'judge EVICT web-0',
      'withdraw',
    ]);
  });

  it('is left to the API server where a webhook refuses the deletion, since it is reserved and bound to the uid', async () => {
    const { said } = await answer({ verdicts: [takeover], deletion: failure('denied') }, pinned);
    expect(said).toBe('allowed');
  });

  it('[P9] but not by a name alone, which could be another pod by then', async () => {
    const { said } = await answer({ verdicts: [takeover], deletion: failure('denied') });
    expect(said).toMatch(/^429 .*so it was said/);
  });

  it('[L7] keeps its reservation where the deletion may yet happen, and gives it back where it cannot', async () => {
    expect((await answer({ verdicts: [takeover], deletion: failure('retry') })).calls).not.toContain('withdraw');
    expect((await answer({ verdicts: [takeover], deletion: failure('denied') })).calls).toContain('withdraw');
  });

  it('[I8] is not deleted when hardly any time is left', async () => {
    const made = bench({ verdicts: [takeover] });
    const deadline = new Deadline(made.clock, 50);
    expect(await made.handler.answer(review(evictionWish()), { deadline })).toMatchObject({
      allowed: false,
      code: 429,
    });
    expect(made.calls).toEqual(['judge EVICT web-0', 'completion unsent', 'withdraw']);
  });

  it('[I4] but not where the deletion had to insist on a version', async () => {
    const { said } = await answer({ verdicts: [insistent], deletion: failure('denied') });
    expect(said).toMatch(/^429 .*so it was said/);
  });

  it('[I8] is "not now" where it is unknown whether the deletion happened', async () => {
    const { said } = await answer({ verdicts: [takeover], deletion: failure('retry') });
    expect(said).toMatch(/^429 .*so it was said/);
  });
});

describe('a pod that is not in the view', () => {
  it('does not exist: the API server says so', async () => {
    expect((await answer({ unseen: true, verdicts: [unknown] }, bound())).said).toBe('allowed');
  });

  it('[P9] does not exist, and the eviction is bound to no uid: it could meet a pod that is created meanwhile', async () => {
    expect((await answer({ unseen: true, verdicts: [unknown] })).said).toMatch(/^429 .*no uid/);
  });

  it('is another one than is meant: the API server says so', async () => {
    const wish = evictionWish({ preconditions: { uid: 'uid-of-before' } });
    expect((await answer({ unseen: true, verdicts: [unknown], reading: found('uid-web-0') }, wish)).said).toBe(
      'allowed',
    );
  });

  it('is new: it is judged as soon as the view has it', async () => {
    const { said, calls } = await answer({ unseen: true, verdicts: [unknown, exhausted], reading: found('uid-web-0') });
    expect(said).toMatch(/^429 /);
    expect(calls).toEqual(['judge EVICT web-0', 'read pod', 'wait for 42', 'judge EVICT web-0']);
  });

  it('[I4] is new, and the view does not get there: not now', async () => {
    const { said } = await answer({ unseen: true, verdicts: [unknown], reading: found('uid-web-0'), reached: false });
    expect(said).toMatch(/^429 /);
  });

  it('[I4] cannot be read: not now', async () => {
    const { said } = await answer({
      unseen: true,
      verdicts: [unknown],
      reading: { kind: 'failed', message: 'gone fishing' },
    });
    expect(said).toMatch(/^429 /);
  });

  it('keeps coming and going: there is an end to judging it', async () => {
    const { said, calls } = await answer({ unseen: true, verdicts: [unknown], reading: found('uid-web-0') });
    expect(said).toMatch(/^429 /);
    expect(calls.filter((call) => call.startsWith('judge'))).toHaveLength(4);
  });
});

describe('a deletion of our own', () => {
  const wish = (username: string): ReviewWish => ({
    oldObject: podObject(),
    user: { username, groups: ['system:authenticated'] },
  });

  it('is not refused by a ledger that may be older than its reservation', async () => {
    const { said, calls } = await answer(
      { verdicts: [exhausted, allowed(undefined, 'AlreadyReserved')] },
      wish(operator),
    );
    expect([said, ...calls]).toEqual(['allowed', 'judge DELETE web-0', 'read ledger', 'judge DELETE web-0']);
  });

  it('is refused by the newest one', async () => {
    expect((await answer({ verdicts: [exhausted] }, wish(operator))).said).toMatch(/^429 /);
  });

  it('of another request: the first verdict counts', async () => {
    expect((await answer({ verdicts: [exhausted, allowed()] }, wish('alice'))).said).toMatch(/^429 /);
  });
});

describe('in doubt', () => {
  it('[I4] what cannot be told to be unprotected waits', () => {
    const { handler } = bench({ verdicts: [] });
    expect(handler.inDoubt(review(evictionWish()), 'late')).toMatchObject({ allowed: false, code: 429 });
  });

  it('[I4] a pod that no budget concerns passes', () => {
    const { handler, world } = bench({ verdicts: [] });
    for (const one of ['pods', 'pdbs', 'pubs', 'workloads', 'podGroups', 'namespaces', 'leases', 'ledgers'] as const) {
      world.setSynced(one, '1');
    }
    world.setNamespace({ metadata: { name: ns } });
    expect(handler.inDoubt(review(evictionWish()), 'failed')).toEqual({ allowed: true });
  });

  it('what is no disruption passes, and nonsense is told', () => {
    const { handler } = bench({ verdicts: [] });
    expect(handler.inDoubt(review({ operation: 'CONNECT', subResource: 'exec' }), 'late')).toEqual({ allowed: true });
    expect(handler.inDoubt(review(evictionWish({ dryRun: 7 })), 'late')).toMatchObject({ allowed: false, code: 400 });
  });
});

describe('[E1] a namespace that is observed', () => {
  const seen = { seen: 'observe', confirmed: 'observe' } as const;
  const pinned = evictionWish({ preconditions: { uid: 'uid-web-0' } });

  it('lets pass what would be refused, and says so', async () => {
    const { raw, calls } = await answer({ verdicts: [exhausted], ...seen }, pinned);
    expect(raw).toMatchObject({ allowed: true, warnings: [expect.stringMatching(/^Holdfast would refuse this/)] });
    expect(calls).toEqual(['confirm shop', 'judge EVICT web-0']);
  });

  it('[E2] lets pass what could not be judged in time, or where judging failed', async () => {
    const { handler } = bench({ verdicts: [exhausted], ...seen });
    for (const why of ['late', 'failed'] as const) {
      expect(handler.inDoubt(review(pinned), why)).toMatchObject({ allowed: true });
    }
  });

  it('[E2] lets pass what cannot be understood', async () => {
    const other = evictionWish({}, { name: 'another' });
    const { said } = await answer({ verdicts: [exhausted], ...seen }, other);
    expect(said).toBe('allowed');
  });

  it('[E2] is not refused when its label cannot be read again', async () => {
    const { said } = await answer({ verdicts: [exhausted], seen: 'observe', confirmed: 'unreadable' }, pinned);
    expect(said).toBe('allowed');
  });

  it('[E3] in the view, and enforced at the API server, lets nothing go that is protected', async () => {
    const { said, calls } = await answer({ verdicts: [takeover], seen: 'observe', confirmed: 'enforce' }, pinned);
    expect(said).toMatch(/^429 /);
    expect(calls).not.toContain('delete web-0');
  });
});
