import { describe, expect, it } from 'vitest';
import { CallStop } from '../../../src/operator/admission/call-stop.ts';

describe('the stop of a call', () => {
  it('tells a signal that was asked for before, and one that is asked for afterwards', () => {
    const early = new CallStop();
    const { signal } = early;
    expect(signal.aborted).toBe(false);
    early.stop('late');
    expect([signal.aborted, signal.reason]).toEqual([true, 'late']);

    const late = new CallStop();
    late.stop('gone');
    expect([late.signal.aborted, late.signal.reason]).toEqual([true, 'gone']);
    expect(late.signal).toBe(late.signal);
  });

  it('has the first reason for good, and tells of it once', () => {
    const stop = new CallStop();
    const heard: string[] = [];
    stop.listen((reason) => heard.push(reason));
    stop.stop('gone');
    stop.stop('late');
    expect(heard).toEqual(['gone']);
    expect(stop.reason).toBe('gone');
  });

  it('tells at once whoever listens too late, and nobody who does not listen any more', () => {
    const stop = new CallStop();
    const heard: string[] = [];
    stop.listen(() => heard.push('before'));
    stop.unlisten();
    stop.stop('late');
    expect(heard).toEqual([]);
    stop.listen((reason) => heard.push(reason));
    expect(heard).toEqual(['late']);
  });
});
