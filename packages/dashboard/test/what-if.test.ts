import { describe, expect, it } from 'vitest';
import { type Draft, emptyDraft } from '../src/views/what-if/draft.ts';
import { measuresOf } from '../src/views/what-if/measures.ts';
import { requestOf } from '../src/views/what-if/request.ts';

const nodes = new Set(['node-2', 'node-1']);

describe('what is filled in', () => {
  it.each<[string, Partial<Draft>, unknown]>([
    ['nodes to drain', { nodes }, { what: { kind: 'drain', nodes: ['node-1', 'node-2'] } }],
    ['a plan for all', { kind: 'plan' }, { what: { kind: 'plan' }, nodeSeconds: 180 }],
    [
      'a plan for some',
      { kind: 'plan', nodes, nodeSeconds: '60' },
      { what: { kind: 'plan', nodes: ['node-1', 'node-2'] }, nodeSeconds: 60 },
    ],
    [
      'an upgrade',
      { kind: 'upgrade', maxUnavailable: ' 25% ' },
      { what: { kind: 'upgrade', maxUnavailable: '25%' }, nodeSeconds: 180 },
    ],
    ['a zone', { kind: 'zone', zone: 'zone-a' }, { what: { kind: 'zone', zone: 'zone-a' } }],
    [
      'a changed budget',
      { nodes, changes: ' kind: x\n' },
      { what: { kind: 'drain', nodes: ['node-1', 'node-2'] }, changes: 'kind: x' },
    ],
  ])('is asked for: %s', (_, fields, request) => {
    expect(requestOf({ ...emptyDraft, ...fields })).toEqual({ kind: 'request', request });
  });

  it.each<[string, Partial<Draft>]>([
    ['no node', {}],
    ['no zone', { kind: 'zone' }],
    ['no number', { kind: 'upgrade', maxUnavailable: 'some' }],
    ['zero at once', { kind: 'upgrade', maxUnavailable: '0' }],
    ['no time', { kind: 'plan', nodeSeconds: '1.5' }],
  ])('is incomplete with %s, and says so', (_, fields) => {
    const asked = requestOf({ ...emptyDraft, ...fields });
    expect(asked.kind).toBe('incomplete');
    expect(asked.kind === 'incomplete' && asked.why).toMatch(/\.$/);
  });
});

describe('two runs that are compared', () => {
  it('show the outage always, then what differs, apart from what is the same', () => {
    const rows = [
      ['service down', 'never', 'never'],
      ['time', '34s', '22s'],
      ['pods evicted', '5', '5'],
    ];
    const { outage, different, same } = measuresOf(rows);
    expect(outage?.name).toBe('service down');
    expect(different.map(({ name }) => name)).toEqual(['time']);
    expect(same.map(({ name }) => name)).toEqual(['pods evicted']);
  });

  it('are nothing where there are no rows', () => {
    expect(measuresOf([])).toEqual({ different: [], same: [] });
  });
});
