import { describe, expect, it } from 'vitest';
import { matches } from '../../../base/src/labels/label-selector.ts';
import { parseLabelSelector } from '../../src/registry/label-selector-text.ts';
import { nameIn, parseFieldSelector } from '../../src/registry/selectors.ts';

describe('label selectors in a query', () => {
  const labels = { app: 'web', tier: 'front', empty: '' };
  const cases: [selector: string, selects: boolean][] = [
    ['app=web', true],
    ['app==web', true],
    ['app = web', true],
    ['app!=web', false],
    ['missing!=x', true],
    ['app in (web, db)', true],
    ['app in (db)', false],
    ['app notin (db),tier=front', true],
    ['app', true],
    ['!app', false],
    ['!missing', true],
    ['empty=', true],
    ['app=web,tier=back', false],
    ['', true],
  ];
  it.each(cases)('%s', (selector, selects) => expect(matches(parseLabelSelector(selector), labels)).toBe(selects));

  it.each(['app=web tier=x', 'a b', 'app in (', '-x=1', 'a=b=c', 'a=-'])('refuses %s with 400', (selector) => {
    expect(() => parseLabelSelector(selector)).toThrow(
      expect.objectContaining({ status: expect.objectContaining({ code: 400 }) }),
    );
  });
});

describe('field selectors in a query', () => {
  it('reads equality and inequality, and keeps what is escaped', () => {
    expect(parseFieldSelector('spec.nodeName=n,status.phase!=Running,a=x\\,y\\=z')).toEqual([
      { field: 'spec.nodeName', equal: true, value: 'n' },
      { field: 'status.phase', equal: false, value: 'Running' },
      { field: 'a', equal: true, value: 'x,y=z' },
    ]);
  });
  it('refuses what is not a comparison', () =>
    expect(() => parseFieldSelector('spec.nodeName')).toThrow("can't understand"));
  it('finds the one name that is asked for', () => {
    expect(nameIn('metadata.name=p,spec.nodeName=n')).toBe('p');
    expect(nameIn('metadata.name!=p')).toBeUndefined();
  });
});
