import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../src/kube/outcome/failure.ts';
import { planAfter, type ReflectorAttempt, type ReflectorPlan } from '../../../src/kube/reflector/reflector-plan.ts';

const watch: ReflectorAttempt = {
  tried: 'watch',
  end: { kind: 'closed' },
  useful: true,
  lastedMs: 5,
  barrenInARow: 0,
  complete: true,
};
const failing = (failure: Failure): ReflectorAttempt => ({ ...watch, useful: false, end: { kind: 'failed', failure } });
const said = (kind: 'gone' | 'notFound' | 'denied' | 'rejected'): Failure => ({ kind, message: '' });
const server = { kind: 'retry', cause: 'server', message: '', retryAfterMs: undefined, maybeDone: true } as const;
const tooNew = { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } };
const soon = { backoff: 'none', atLeastMs: 0 } as const;
const later = { backoff: 'reconnect', atLeastMs: 0 } as const;
const refused = { backoff: 'refused', atLeastMs: 0 } as const;
const half: ReflectorAttempt = { ...watch, tried: 'watchList', complete: false, useful: false };

const table: readonly (readonly [string, ReflectorAttempt, Partial<ReflectorPlan>])[] = [
  [
    'a list is followed by a watch',
    { ...watch, tried: 'list', end: { kind: 'listed' } },
    { resync: false, wait: soon },
  ],
  ['a watch that ended is followed by another', watch, { resync: false, wait: soon }],
  ['one that ended at once with nothing in it waits', { ...watch, useful: false }, { resync: false, wait: later }],
  ['one that was quiet for long does not', { ...watch, useful: false, lastedMs: 400_000 }, { wait: soon }],
  ['a stall lists again at once', { ...watch, end: { kind: 'stalled', message: '' } }, { resync: true, wait: soon }],
  [
    'a dead connection is replaced at once, and nothing is read again',
    { ...watch, end: { kind: 'dead', message: '' } },
    { resync: false, wait: soon },
  ],
  ['a break waits', { ...watch, end: { kind: 'broken', message: '' } }, { resync: false, wait: later }],
  [
    'a garbled line is asked for again',
    { ...watch, barrenInARow: 1, end: { kind: 'garbled', message: '' } },
    { resync: false, wait: later },
  ],
  [
    'but not forever',
    { ...watch, barrenInARow: 3, end: { kind: 'garbled', message: '' } },
    { resync: true, wait: later },
  ],
  ['what is gone is read again, and not at once', failing(said('gone')), { resync: true, wait: refused }],
  ['a kind that went is looked for again', failing(said('notFound')), { resync: true, wait: refused }],
  ['a missing permission may come', failing(said('denied')), { resync: false, wait: refused }],
  ['a watch that is refused is begun again', failing(said('rejected')), { resync: true, wait: refused }],
  ['a server that fails is not asked for everything', failing(server), { resync: false, wait: later }],
  [
    'a server that asks for time gets it',
    failing({ ...server, retryAfterMs: 7_000 }),
    { wait: { backoff: 'reconnect', atLeastMs: 7_000 } },
  ],
  [
    'too many requests',
    failing({ kind: 'tooManyRequests', message: '', retryAfterMs: 2_000 }),
    { resync: false, wait: { backoff: 'refused', atLeastMs: 2_000 } },
  ],
  ['a server that went back in time', failing({ ...server, status: tooNew }), { resync: true, wait: later }],
  [
    'state that was refused as a watch is listed at once',
    { ...half, end: { kind: 'failed', failure: said('rejected') } },
    { resync: true, watchList: 'unsupported', wait: soon },
  ],
  [
    'state that never ended',
    { ...half, end: { kind: 'stalled', message: '' } },
    { resync: true, watchList: 'unsupported' },
  ],
  ['state that was cut', { ...half, end: { kind: 'closed' } }, { resync: true, watchList: 'unsupported' }],
  [
    'state while the server fails',
    { ...half, end: { kind: 'failed', failure: server } },
    { resync: true, watchList: 'skipOnce', wait: later },
  ],
  [
    'state on a connection that broke',
    { ...half, end: { kind: 'broken', message: '' } },
    { resync: true, watchList: 'skipOnce' },
  ],
  [
    'a break after the state',
    { ...half, complete: true, end: { kind: 'broken', message: '' } },
    { resync: false, watchList: 'keep' },
  ],
];

describe('what a reflector does next', () => {
  test.each(table)('%s', (_, session, expected) => {
    expect(planAfter(session)).toMatchObject(expected);
  });
});
