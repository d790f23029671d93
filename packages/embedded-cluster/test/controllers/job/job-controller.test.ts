import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { JobObject, PodObject } from '../../../src/controllers/common/workloads.ts';
import { startJobController } from '../../../src/controllers/job/job-controller.ts';
import { startTtlAfterFinishedController } from '../../../src/controllers/job/ttl-controller.ts';
import { ApiError } from '../../../src/errors.ts';
import { FakeCluster, type PodFate } from '../fake-cluster.ts';
import { job } from '../workloads.ts';

const jobs = 'batch/jobs';
const finalizer = 'batch.kubernetes.io/job-tracking';
let cluster: FakeCluster;

afterEach(() => cluster.stop());

async function start(spec: Partial<JobObject['spec']> = {}, seed = 1): Promise<void> {
  cluster = new FakeCluster(seed).start(startJobController, startTtlAfterFinishedController);
  await cluster.client.create(jobs, job('work', spec));
  await cluster.quiet();
}

const get = () => cluster.get<JobObject>(jobs, 'work');
const conditions = () => get().status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
const active = () => cluster.pods().filter(({ status }) => ['Pending', 'Running'].includes(status?.phase ?? ''));
const indexes = (pods: readonly PodObject[]) =>
  pods.map(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-completion-index']).sort();

describe('Job controller', () => {
  it('runs pods to the asked number of completions, never more at once than allowed', async () => {
    await start({ completions: 5, parallelism: 2 });
    expect(active()).toHaveLength(2);
    expect(active()[0]?.metadata.finalizers).toEqual([finalizer]);
    expect(get().status).toMatchObject({ active: 2, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    await cluster.run((pod) => (pod.spec.nodeName ? 'succeeded' : 'ready'));
    expect(get().status).toMatchObject({ succeeded: 5, uncountedTerminatedPods: {} });
    expect(get().status).not.toHaveProperty('active');
    expect(get().status?.completionTime).toBeDefined();
    expect(conditions()).toEqual(['SuccessCriteriaMet=True CompletionsReached', 'Complete=True CompletionsReached']);
    expect(cluster.pods().flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
    expect(cluster.events('work')).toContain('Completed: Job completed');
  });

  it('gives each index to one pod, and remembers which are done', async () => {
    await start({ completionMode: 'Indexed', completions: 4, parallelism: 3 });
    expect(indexes(active())).toEqual(['0', '1', '2']);
    const [first] = active();
    expect(first?.spec.hostname).toBe(`work-${indexes([first as PodObject])[0]}`);
    expect(first?.spec.containers[0]?.env).toEqual([
      {
        name: 'JOB_COMPLETION_INDEX',
        valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" } },
      },
    ]);
    const one = active().find((pod) => indexes([pod])[0] === '1') as PodObject;
    await cluster.setPod(one.metadata.name, 'succeeded');
    await cluster.quiet();
    expect(get().status).toMatchObject({ completedIndexes: '1', succeeded: 1 });
    expect(indexes(active())).toEqual(['0', '2', '3']);
    await cluster.run(() => 'succeeded');
    expect(get().status).toMatchObject({ completedIndexes: '0-3', succeeded: 4 });
    expect(conditions()?.at(-1)).toBe('Complete=True CompletionsReached');
  });

  it('replaces failed pods later and later, and gives up at the limit', async () => {
    await start({ backoffLimit: 2 });
    const waits: number[] = [];
    for (let failure = 0; failure < 3; failure += 1) {
      const [pod] = active();
      await cluster.setPod(pod?.metadata.name as string, 'failed');
      const from = cluster.clock.now();
      await cluster.clock.advanceUntil(() => active().length > 0, 100_000, 1000);
      waits.push(Math.round((cluster.clock.now() - from) / 10_000) * 10);
    }
    expect(waits).toEqual([10, 20, 100]);
    expect(get().status).toMatchObject({ failed: 3 });
    expect(conditions()).toEqual(['FailureTarget=True BackoffLimitExceeded', 'Failed=True BackoffLimitExceeded']);
    expect(cluster.events('work')).toContain('BackoffLimitExceeded: Job has reached the specified backoff limit');
  });

  it('fails when it takes too long, and takes its pods down', async () => {
    await start({ activeDeadlineSeconds: 30, parallelism: 2, completions: 2 });
    await cluster.run();
    await cluster.clock.advance(31_000);
    await cluster.run();
    expect(conditions()).toEqual(['FailureTarget=True DeadlineExceeded', 'Failed=True DeadlineExceeded']);
    expect(get().status).toMatchObject({ failed: 2, terminating: 0 });
    expect(active()).toEqual([]);
  });

  it('waits with its end until the last pod is gone', async () => {
    await start({ activeDeadlineSeconds: 30 });
    await cluster.run();
    await cluster.clock.advance(31_000);
    expect(conditions()).toEqual(['FailureTarget=True DeadlineExceeded']);
    expect(get().status?.terminating).toBe(1);
    await cluster.run();
    expect(conditions()?.at(-1)).toBe('Failed=True DeadlineExceeded');
  });

  it('gives up its pods uncounted when it is suspended, and starts again', async () => {
    await start({ parallelism: 2, completions: 2 });
    await cluster.run();
    const suspend = (value: boolean) =>
      cluster.edit<JobObject>(jobs, 'work', ({ spec }) => {
        spec.suspend = value;
      });
    await suspend(true);
    await cluster.run();
    expect(cluster.pods()).toEqual([]);
    expect(conditions()).toEqual(['Suspended=True JobSuspended']);
    expect(get().status).not.toHaveProperty('failed');
    expect(get().status).not.toHaveProperty('startTime');
    await suspend(false);
    await cluster.quiet();
    expect(active()).toHaveLength(2);
    expect(conditions()).toEqual(['Suspended=False JobResumed']);
    expect(get().status?.startTime).toBeDefined();
    expect(cluster.events('work')).toEqual(
      expect.arrayContaining(['Suspended: Job suspended', 'Resumed: Job resumed']),
    );
  });

  it('lets a work queue run out after the first success', async () => {
    cluster = new FakeCluster().start(startJobController);
    const queue = job('work', { parallelism: 3 });
    delete queue.spec.completions;
    await cluster.client.create(jobs, queue);
    await cluster.run();
    await cluster.setPod(cluster.podNames()[0] as string, 'succeeded');
    await cluster.run();
    expect(active()).toHaveLength(2);
    await cluster.run(() => 'succeeded');
    expect(get().status?.succeeded).toBe(3);
    expect(conditions()?.at(-1)).toBe('Complete=True CompletionsReached');
  });

  it('counts a pod that a client deleted as failed, and replaces it', async () => {
    await start();
    await cluster.run();
    await cluster.client.delete('pods', 'default', cluster.podNames()[0] as string);
    await cluster.run();
    expect(get().status?.failed).toBe(1);
    await cluster.clock.advance(60_000);
    await cluster.run();
    expect(active()).toHaveLength(1);
  });

  it('disappears some time after its end', async () => {
    await start({ ttlSecondsAfterFinished: 60 });
    await cluster.run(() => 'succeeded');
    expect(conditions()?.at(-1)).toBe('Complete=True CompletionsReached');
    await cluster.clock.advance(61_000);
    expect(cluster.view.get(jobs, 'default', 'work')).toBeUndefined();
  });

  it('frees the pods of a job that is gone', async () => {
    await start({ parallelism: 2, completions: 2 });
    await cluster.run();
    await cluster.client.delete(jobs, 'default', 'work');
    await cluster.quiet();
    expect(cluster.pods().flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
  });

  it('keeps away from jobs that another controller manages', async () => {
    await start({ managedBy: 'example.com/queue' } as never);
    expect(cluster.pods()).toEqual([]);
  });

  it('ends with exactly as many successes as asked for, whatever fails and is refused on the way', async () => {
    const fates = fc.array(fc.constantFrom<PodFate>('ready', 'succeeded', 'failed', 'leave'), { maxLength: 40 });
    const refusals = fc.array(fc.boolean(), { maxLength: 40 });
    const mode = fc.constantFrom('NonIndexed', 'Indexed');
    const size = fc.integer({ min: 1, max: 4 });
    await fc.assert(
      fc.asyncProperty(
        size,
        size,
        mode,
        fates,
        refusals,
        async (completions, parallelism, completionMode, ...lists) => {
          const [fate, refused] = [lists[0].values(), lists[1].values()];
          await start({ completions, parallelism, completionMode, backoffLimit: 1000 });
          const error = new ApiError({ code: 500, reason: 'InternalError', message: 'not now' });
          for (let round = 0; round < 8; round += 1) {
            await cluster.kubelet(() => fate.next().value ?? 'succeeded');
            cluster.refuse = () => (refused.next().value ? error : undefined);
            await cluster.clock.advance(5000);
            cluster.refuse = () => undefined;
          }
          for (let round = 0; round < 6; round += 1) {
            await cluster.run(() => 'succeeded');
            await cluster.clock.advance(700_000);
          }
          cluster.stop();
          const ended = (phase: string) => cluster.pods().filter(({ status }) => status?.phase === phase).length;
          expect(get().status).toMatchObject({ succeeded: completions });
          expect(ended('Succeeded')).toBe(completions);
          expect(get().status?.failed ?? 0).toBe(ended('Failed'));
          expect(conditions()?.at(-1)).toBe('Complete=True CompletionsReached');
        },
      ),
      { numRuns: 60 },
    );
  });
});
