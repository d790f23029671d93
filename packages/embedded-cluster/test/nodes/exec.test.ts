import { describe, expect, it } from 'vitest';
import { sim } from '../../src/nodes/annotations.ts';
import { execIn } from '../../src/nodes/streams/exec.ts';
import { podOf } from './sample-pods.ts';

describe('a command in a container', () => {
  it.each([
    [['echo', 'a', 'b'], { stdout: 'a b\n', exitCode: 0 }],
    [['/bin/hostname'], { stdout: 'web-0\n', exitCode: 0 }],
    [['true'], { stdout: '', exitCode: 0 }],
    [['false'], { stdout: '', exitCode: 1 }],
    [['anything'], { stdout: '', stderr: '', exitCode: 0 }],
  ])('%j answers %j without an annotation', (command, expected) => {
    expect(execIn(podOf(), 'app', command)).toMatchObject(expected);
  });

  it.each([
    ['plain text', { stdout: 'plain text\n', stderr: '', exitCode: 0 }],
    ['{"stdout":"out","stderr":"err","exitCode":3}', { stdout: 'out', stderr: 'err', exitCode: 3 }],
    ['{"exitCode":256}', { stdout: '', stderr: '', exitCode: 0 }],
    ['{"stdout":5,"exitCode":"1"}', { stdout: '', stderr: '', exitCode: 0 }],
    ['[1]', { stdout: '[1]\n', stderr: '', exitCode: 0 }],
  ])('answers what the annotation %j says', (text, expected) => {
    expect(execIn(podOf({ annotations: { [sim.exec]: text } }), 'app', ['ls'])).toEqual(expected);
  });

  it('fails where it is the command of a probe that is to fail, and only there', () => {
    const pod = podOf({
      annotations: { [sim.execProbe]: 'fail', 'holdfast.dev/disruption-probe': '{"exec":{"command":["ask","me"]}}' },
    });
    expect(execIn(pod, 'app', ['ask', 'me']).exitCode).toBe(1);
    expect(execIn(pod, 'app', ['ask']).exitCode).toBe(0);
    expect(execIn(pod, 'other', ['ask', 'me']).exitCode).toBe(0);
  });
});
