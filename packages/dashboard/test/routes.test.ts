import { describe, expect, it } from 'vitest';
import { hashOf, type Route, routeOf } from '../src/routes.ts';

const hostile = '../<img src=x onerror=alert(1)>/%2f?#';

describe('a place of the page', () => {
  const routes: readonly Route[] = [
    { view: 'overview' },
    { view: 'drains' },
    { view: 'whatIf', nodes: [] },
    { view: 'whatIf', nodes: ['node-1', hostile] },
    { view: 'node', name: hostile },
    { view: 'pod', namespace: 'shop', name: hostile },
    { view: 'budget', kind: 'pdb', namespace: hostile, name: 'llm' },
  ];

  it.each(routes)('is kept in the hash and found again: $view', (route) => {
    expect(routeOf(hashOf(route))).toEqual(route);
  });

  it.each(['', '#', '#/'])('is the overview for %j', (hash) => {
    expect(routeOf(hash)).toEqual({ view: 'overview' });
  });

  it.each(['#/node', '#/node/a/b', '#/pod/a', '#/budget/pdb/a', '#/nothing', '#/node/%E0%A4%A'])(
    'is unknown for %s',
    (hash) => {
      expect(routeOf(hash).view).toBe('unknown');
    },
  );
});
