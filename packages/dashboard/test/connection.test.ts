import { describe, expect, it } from 'vitest';
import { freshnessOf } from '../src/frame/freshness.ts';
import { announcement } from '../src/live/announce.ts';
import { type PageState, receive } from '../src/live/connection.ts';
import { aHead, aModel, aNode } from './builders.ts';

const nothing: PageState = { link: { kind: 'connecting' } };
const open: PageState = { link: { kind: 'open' }, model: aModel(4) };

describe('what comes from the server', () => {
  it('is first the whole model', () => {
    const { state, reload } = receive(nothing, { kind: 'snapshot', model: aModel(4) });
    expect(state).toEqual(open);
    expect(reload).toBe(false);
  });

  it('changes the model by a delta that follows it', () => {
    const delta = { from: 4, to: 5, head: { revision: 5 }, nodes: { put: [aNode('node-1')], gone: [] } };
    const { state } = receive(open, { kind: 'delta', delta });
    expect(state.model?.head.revision).toBe(5);
    expect(state.model?.nodes.map(({ key }) => key)).toEqual(['node-1']);
  });

  it('is asked for again, whole, when a delta was missed', () => {
    const { state, reload } = receive(open, { kind: 'delta', delta: { from: 5, to: 6, head: { revision: 6 } } });
    expect(reload).toBe(true);
    expect(state.model?.head.revision).toBe(4);
  });

  it('is left alone by a delta that a reload was faster than', () => {
    const { state, reload } = receive(open, { kind: 'delta', delta: { from: 2, to: 3, head: { revision: 3 } } });
    expect([state, reload]).toEqual([open, false]);
  });

  it('lists that did not change keep their identity, so that nothing is drawn again', () => {
    const { state } = receive(open, { kind: 'delta', delta: { from: 4, to: 5, head: { revision: 5 } } });
    expect(state.model?.nodes).toBe(open.model?.nodes);
  });

  it('stays on the page when the connection is lost, with the first time that it was', () => {
    const first = receive(open, { kind: 'lost', at: 100 }).state;
    const second = receive(first, { kind: 'lost', at: 200 }).state;
    expect(second.link).toEqual({ kind: 'lost', since: 100 });
    expect(second.model).toBe(open.model);
    expect(receive(second, { kind: 'opened' }).state.link).toEqual({ kind: 'open' });
  });
});

describe('whether the data is current', () => {
  it('depends on both connections, the nearer one first', () => {
    const stale = { kind: 'stale', since: 7, why: 'connection refused' } as const;
    expect(freshnessOf({ kind: 'open' }, { kind: 'live' })).toEqual({ kind: 'live' });
    expect(freshnessOf({ kind: 'open' }, stale)).toMatchObject({ kind: 'old', since: 7 });
    expect(freshnessOf({ kind: 'lost', since: 9 }, stale)).toMatchObject({ kind: 'old', since: 9 });
    expect(freshnessOf({ kind: 'ended' }, { kind: 'live' })).toEqual({ kind: 'ended' });
    expect(freshnessOf({ kind: 'open' }, { kind: 'reading', waitingFor: ['pods'] })).toMatchObject({
      text: 'reading pods',
    });
    expect(freshnessOf({ kind: 'connecting' }, undefined)).toMatchObject({ kind: 'reading' });
  });
});

describe('what is spoken by itself', () => {
  const calm = aHead();
  const withCounts = (blocked: number, drained = 0) =>
    aHead({
      counts: {
        ...calm.counts,
        budgets: { total: 2, blocked },
        nodes: { ...calm.counts.nodes, drained },
      },
    });

  it.each([
    ['nothing at first', undefined, withCounts(1), undefined],
    ['nothing when only numbers of pods moved', calm, aHead({ counts: { ...calm.counts, pods: 8 } }), undefined],
    ['a budget that begins to block', calm, withCounts(1), '1 budget blocks now.'],
    ['more that block', withCounts(1), withCounts(2), '2 budgets block now.'],
    ['the end of it', withCounts(1), calm, 'No budget blocks any more.'],
    ['a drained node', calm, withCounts(0, 1), '1 node drained.'],
    [
      'the loss of the API server',
      calm,
      aHead({ data: { kind: 'stale', since: 1, why: '' } }),
      'The API server does not answer. What is shown is old.',
    ],
  ])('is %s', (_, before, after, want) => {
    expect(announcement(before, after)).toBe(want);
  });
});
