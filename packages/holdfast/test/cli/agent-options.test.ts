import { describe, expect, it } from 'vitest';
import { nodeName, nodesOf, wholeNumber } from '../../src/cli/agent/agent-options.ts';

describe('the nodes of an agent', () => {
  const table = [
    { name: 'are those that were named', options: { node: ['a', 'b', 'a'] }, env: 'c', want: ['a', 'b'] },
    { name: 'are all of them where that was said', options: { allNodes: true as const }, env: 'c', want: 'all' },
    { name: 'are otherwise the one that it runs on', options: {}, env: 'c', want: ['c'] },
  ];
  it.each(table)('$name', ({ options, env, want }) => {
    expect(nodesOf(options, env)).toEqual(want);
  });

  it('must be known, and not be contradictory', () => {
    expect(() => nodesOf({}, undefined)).toThrow('no node is named');
    expect(() => nodesOf({}, '')).toThrow('no node is named');
    expect(() => nodesOf({ node: ['a'], allNodes: true }, undefined)).toThrow('exclude each other');
  });

  it('are collected, when they are names', () => {
    expect(nodeName('b.example.com', ['a'])).toEqual(['a', 'b.example.com']);
    for (const text of ['', 'A', 'a,metadata.name=b', '-a', 'a'.repeat(254)]) {
      expect(() => nodeName(text, undefined)).toThrow('must be the name of a node.');
    }
  });
});

describe('a whole number', () => {
  it('is within its limits', () => {
    const read = wholeNumber(2, 10);
    expect(read('2')).toBe(2);
    expect(read('10')).toBe(10);
    for (const text of ['1', '11', '-3', '2.5', '0x3', '', 'many']) {
      expect(() => read(text)).toThrow('must be a whole number from 2 to 10.');
    }
  });
});
