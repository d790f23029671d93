import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rankForDeletion } from '../../../src/controllers/common/pod-ranking.ts';
import type { PodObject } from '../../../src/controllers/common/workloads.ts';
import { pod, ready } from '../workloads.ts';

const now = Date.parse('2026-01-02T00:00:00Z');

function made(name: string, created: string, one: PodObject): PodObject {
  return { ...one, metadata: { ...one.metadata, name, creationTimestamp: created } };
}

function costs(cost: string): PodObject {
  const one = pod('cheap', { nodeName: 'a' }, ready());
  one.metadata.annotations = { 'controller.kubernetes.io/pod-deletion-cost': cost };
  return one;
}

const onNode = { nodeName: 'a' };
const restarted = (restartCount: number) => ({
  ...ready(),
  containerStatuses: [{ name: 'main', image: '', imageID: '', ready: true, restartCount }],
});

describe('giving up pods', () => {
  it.each([
    ['one without a node before one on a node', pod('first'), pod('second', onNode)],
    ['a pending one before a running one', pod('first', onNode, { phase: 'Pending' }), pod('second', onNode)],
    ['one that is not ready before one that is', pod('first', onNode), pod('second', onNode, ready())],
    ['a cheap one before a dear one', costs('-5'), pod('second', onNode, ready())],
    [
      'one that became ready lately before one that has been for long',
      pod('first', onNode, ready('2026-01-01T23:59:00Z')),
      pod('second', onNode, ready('2025-01-01T00:00:00Z')),
    ],
    [
      'one that restarts often before one that does not',
      pod('first', onNode, restarted(4)),
      pod('second', onNode, restarted(0)),
    ],
    [
      'a young one before an old one',
      made('first', '2026-01-01T23:59:00Z', pod('first', onNode)),
      made('second', '2025-01-01T00:00:00Z', pod('second', onNode)),
    ],
  ])('%s', (_, first, second) => {
    const names = (pods: readonly PodObject[]) => rankForDeletion(pods, [], now).map(({ metadata }) => metadata.name);
    const expected = [first.metadata.name, second.metadata.name];
    expect(names([first, second])).toEqual(expected);
    expect(names([second, first])).toEqual(expected);
  });

  it('takes the one with more neighbours on its node', () => {
    const crowded = pod('crowded', { nodeName: 'b' }, ready());
    const alone = pod('alone', { nodeName: 'a' }, ready());
    const neighbour = pod('neighbour', { nodeName: 'b' }, ready());
    const ranked = rankForDeletion([alone, crowded], [alone, crowded, neighbour], now);
    expect(ranked.map(({ metadata }) => metadata.name)).toEqual(['crowded', 'alone']);
  });

  it('gives up every pod in the end, none twice', () => {
    const pods = fc.array(fc.record({ node: fc.constantFrom('', 'a', 'b'), ready: fc.boolean() }), { maxLength: 12 });
    fc.assert(
      fc.property(pods, (list) => {
        const all = list.map((one, index) =>
          pod(`p${index}`, one.node ? { nodeName: one.node } : {}, one.ready ? ready() : {}),
        );
        const ranked = rankForDeletion(all, all, now);
        const unplaced = ranked.findLastIndex((one) => !one.spec.nodeName);
        expect(new Set(ranked)).toEqual(new Set(all));
        expect(ranked.slice(unplaced + 1).every((one) => one.spec.nodeName)).toBe(true);
        expect(ranked.slice(0, unplaced + 1).some((one) => one.spec.nodeName)).toBe(false);
      }),
    );
  });
});
