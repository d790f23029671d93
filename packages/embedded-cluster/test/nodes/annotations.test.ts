import { describe, expect, it } from 'vitest';
import { durationOf, isDown, isSimulated, parseDuration, probeModeOf, sim } from '../../src/nodes/annotations.ts';
import { podOf } from './sample-pods.ts';

describe('durations in annotations', () => {
  it.each([
    ['500ms', 500],
    ['5s', 5000],
    ['1m30s', 90_000],
    ['2h', 7_200_000],
    ['1.5s', 1500],
    ['3', 3000],
    ['0', 0],
    ['1000000h', 86_400_000],
    ['', undefined],
    ['soon', undefined],
    ['-5s', undefined],
    ['5s later', undefined],
  ])('%j is %j milliseconds', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it('a duration that cannot be read is the default', () => {
    expect(durationOf(podOf({ annotations: { [sim.startDelay]: 'soon' } }), sim.startDelay, 7)).toBe(7);
    expect(durationOf(podOf({ annotations: { [sim.startDelay]: ' 2s ' } }), sim.startDelay, 7)).toBe(2000);
    expect(durationOf(podOf(), sim.startDelay, 7)).toBe(7);
  });
});

describe('what listeners of a pod answer', () => {
  it.each([
    [undefined, { port: 80 }, 'ok'],
    ['fail', { port: 80 }, 'fail'],
    ['slow', { port: 80, path: '/' }, 'slow'],
    ['nonsense', { port: 80 }, 'ok'],
    ['/a=fail', { port: 80, path: '/a' }, 'fail'],
    ['/a=fail', { port: 80, path: '/a?x=1' }, 'fail'],
    ['/a=fail', { port: 80, path: '/b' }, 'ok'],
    ['81=slow, fail', { port: 81 }, 'slow'],
    ['81=slow, fail', { port: 80 }, 'fail'],
    ['80=fail,/a=ok', { port: 80, path: '/a' }, 'ok'],
    ['__proto__=fail', { port: 80, path: '/' }, 'ok'],
  ] as const)('with %j asked for %j they answer %s', (text, asked, expected) => {
    const pod = podOf(text === undefined ? {} : { annotations: { [sim.probe]: text } });
    expect(probeModeOf(pod, asked)).toBe(expected);
  });
});

it('a node is simulated by its label and down by its annotation, with exactly "true"', () => {
  const node = (labels: Record<string, string>, annotations: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels, annotations },
  });
  expect(isSimulated(node({ [sim.node]: 'true' }, {}))).toBe(true);
  expect(isSimulated(node({ [sim.node]: 'false' }, {}))).toBe(false);
  expect(isSimulated(node({}, {}))).toBe(false);
  expect(isDown(node({}, { [sim.down]: 'true' }))).toBe(true);
  expect(isDown(node({}, { [sim.down]: '' }))).toBe(false);
});
