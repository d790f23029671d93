import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/controllers/job/decide.ts';
import { nextRecord, noFailures, remainingMs } from '../../../src/controllers/job/failure-backoff.ts';
import { firstFree, formatIndexes, parseIndexes } from '../../../src/controllers/job/indexes.ts';
import { finishJob, settleNotes } from '../../../src/controllers/job/track.ts';
import { job, pod } from '../workloads.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');

describe('completion indexes', () => {
  it.each([
    [[], ''],
    [[3], '3'],
    [[0, 1], '0,1'],
    [[2, 0, 1], '0-2'],
    [[0, 2, 3, 4, 7], '0,2-4,7'],
  ])('%j are written %j', (indexes, text) => {
    expect(formatIndexes(indexes)).toBe(text);
  });

  it('survive writing and reading', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), (indexes) => {
        expect([...parseIndexes(formatIndexes(indexes), 61)].sort()).toEqual([...indexes].sort());
      }),
    );
  });

  it('beyond the number of completions do not count', () => {
    expect([...parseIndexes('0-4294967295,x,7-', 3)]).toEqual([0, 1, 2]);
  });

  it('are given out from the lowest', () => {
    expect(firstFree(new Set([0, 2]), 5, 2)).toEqual([1, 3]);
    expect(firstFree(new Set([0, 1]), 2, 2)).toEqual([]);
  });
});

describe('waiting after failures', () => {
  const failedAt = (seconds: number) => {
    const made = pod(`p${seconds}`, {}, { phase: 'Failed' });
    made.metadata.creationTimestamp = new Date(nowMs + seconds * 1000).toISOString();
    return made;
  };

  it.each([
    [0, 0],
    [1, 10],
    [2, 20],
    [3, 40],
    [20, 600],
  ])('%i failures in a row: %i seconds', (failures, seconds) => {
    expect(remainingMs({ failures, lastFailureMs: nowMs }, nowMs)).toBe(seconds * 1000);
  });

  it('starts over with a success', () => {
    const record = nextRecord({ failures: 5, lastFailureMs: nowMs }, [failedAt(10)], [failedAt(5), failedAt(15)]);
    expect(record).toEqual({ failures: 1, lastFailureMs: nowMs + 15_000 });
    expect(nextRecord(record, [failedAt(20)], [])).toEqual(noFailures);
  });
});

describe('counting pods', () => {
  it('moves a note into the counter when the pod has lost its finalizer', () => {
    const before = { succeeded: 1, uncountedTerminatedPods: { succeeded: ['a', 'b'], failed: ['c'] } };
    expect(settleNotes(before, new Set(['b']))).toEqual({
      succeeded: 2,
      failed: 1,
      uncountedTerminatedPods: { succeeded: ['b'] },
    });
  });

  it('does not end a job that has notes or leaving pods', () => {
    const outcome = { result: 'success', reason: 'r', message: 'm' } as const;
    expect(finishJob({ uncountedTerminatedPods: { failed: ['a'] } }, outcome, nowMs)).toBeUndefined();
    expect(finishJob({ terminating: 1 }, outcome, nowMs)).toBeUndefined();
    expect(finishJob({}, outcome, nowMs)?.completionTime).toBe('2026-01-01T00:00:00Z');
  });
});

describe('what a job does next', () => {
  const tracked = (name: string, phase: string, index?: number) => {
    const made = pod(name, {}, { phase });
    made.metadata.finalizers = ['batch.kubernetes.io/job-tracking'];
    if (index !== undefined) made.metadata.annotations = { 'batch.kubernetes.io/job-completion-index': String(index) };
    return made;
  };
  const next = (made: ReturnType<typeof job>, pods: ReturnType<typeof pod>[]) =>
    decide({ job: made, pods, nowMs, record: noFailures });

  it('removes pods that double an index, or have one that does not exist', () => {
    const made = job('work', { completionMode: 'Indexed', completions: 2, parallelism: 3 });
    const pods = [tracked('a', 'Running', 0), tracked('b', 'Pending', 0), tracked('c', 'Running', 9)];
    const { remove, uncounted } = next(made, pods);
    expect(remove.map(({ metadata }) => metadata.name).sort()).toEqual(['b', 'c']);
    expect(uncounted).toBe(true);
  });

  it('removes running pods when fewer may run', () => {
    const { remove } = next(job('work', { completions: 5, parallelism: 1 }), [
      tracked('a', 'Running'),
      tracked('b', 'Pending'),
    ]);
    expect(remove.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  it('counts restarts of pods that restart in place', () => {
    const made = job('work', { backoffLimit: 2 });
    made.spec.template.spec = { containers: [], restartPolicy: 'OnFailure' };
    const restarting = tracked('a', 'Running');
    restarting.status = {
      phase: 'Running',
      containerStatuses: [{ name: 'main', image: '', imageID: '', ready: false, restartCount: 2 }],
    };
    expect(next(made, [restarting]).outcome?.reason).toBe('BackoffLimitExceeded');
  });

  it('waits for the end of a leaving pod when only failed ones are replaced', () => {
    const leaving = tracked('a', 'Running');
    leaving.metadata.deletionTimestamp = '2026-01-01T00:00:30Z';
    expect(next(job('work', { podReplacementPolicy: 'Failed' }), [leaving]).create).toEqual([]);
    expect(next(job('work', { podReplacementPolicy: 'Failed' }), []).create).toEqual([undefined]);
  });

  it('stays with a failure it has announced', () => {
    const made = job('work', { backoffLimit: 0 });
    made.status = { conditions: [{ type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded', message: 'm' }] };
    expect(next(made, [tracked('a', 'Succeeded')]).outcome).toEqual({
      result: 'failure',
      reason: 'DeadlineExceeded',
      message: 'm',
    });
  });
});
