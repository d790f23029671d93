import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobObject } from '../../../src/controllers/common/workloads.ts';
import { type CronJobObject, startCronJobController } from '../../../src/controllers/cronjob/cronjob-controller.ts';
import { timestamp } from '../../../src/time/clock.ts';
import { TestPlane } from '../test-plane.ts';

const minute = 60_000;
let test: TestPlane;

beforeEach(async () => {
  test = new TestPlane().start(startCronJobController);
  await test.namespace('ns');
});
afterEach(() => {
  test.stop();
  expect(test.errors).toEqual([]);
});

async function create(spec: Partial<CronJobObject['spec']> = {}): Promise<void> {
  const template = { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } };
  const jobTemplate = { metadata: { labels: { from: 'template' } }, spec: { template } };
  await test.create('batch/cronjobs', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'cron', namespace: 'ns' },
    spec: { schedule: '* * * * *', jobTemplate, ...spec },
  });
  await test.quiet();
}

const cron = () => test.get<CronJobObject>('batch/cronjobs', 'ns', 'cron');
const jobs = () => test.plane.view.list<JobObject>('batch/jobs', 'ns');
const names = () => jobs().map(({ metadata }) => metadata.name);
const events = () => test.plane.view.list('events', 'ns').map((event) => `${event['reason']}`);

async function pass(ms: number): Promise<void> {
  await test.clock.advance(ms);
  await test.quiet();
}

async function end(name: string, type: 'Complete' | 'Failed'): Promise<void> {
  const now = timestamp(test.clock.now());
  const done = (condition: string) => ({
    type: condition,
    status: 'True',
    lastTransitionTime: now,
    lastProbeTime: now,
  });
  const criterion = type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  await test.client.modify<JobObject>(
    'batch/jobs',
    'ns',
    name,
    (draft) => ({
      ...draft,
      status: {
        ...draft.status,
        startTime: now,
        conditions: [done(criterion), done(type)],
        ...(type === 'Complete' ? { completionTime: now, succeeded: 1 } : {}),
      },
    }),
    { subresource: 'status' },
  );
  await test.quiet();
}

describe('cron jobs', () => {
  it('start a job when it is due, and say so', async () => {
    await create();
    expect(names()).toEqual([]);
    await pass(minute);
    const [job] = jobs();
    const scheduled = job?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'];
    expect(job?.metadata).toMatchObject({
      name: `cron-${Date.parse(scheduled ?? '') / minute}`,
      labels: { from: 'template' },
      ownerReferences: [{ kind: 'CronJob', name: 'cron', controller: true }],
    });
    expect(cron().status).toMatchObject({
      lastScheduleTime: scheduled,
      active: [{ kind: 'Job', name: job?.metadata.name }],
    });
    expect(events()).toContain('SuccessfulCreate');
    await pass(minute);
    expect(names()).toHaveLength(2);
    expect(cron().status?.active).toHaveLength(2);
  });

  it('remember the last success, and keep only so many that have ended', async () => {
    await create({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
    for (const fate of ['Complete', 'Complete', 'Failed'] as const) {
      await pass(minute);
      await end(names().at(-1) as string, fate);
    }
    expect(names()).toHaveLength(1);
    expect(cron().status?.active).toBeUndefined();
    expect(cron().status?.lastSuccessfulTime).toBe(jobs()[0]?.status?.completionTime);
    expect(events()).toEqual(expect.arrayContaining(['SawCompletedJob', 'SuccessfulDelete']));
  });

  it('start none beside another where that is forbidden, and catch up with the last one', async () => {
    await create({ concurrencyPolicy: 'Forbid' });
    await pass(minute);
    const [first] = names();
    await pass(3 * minute);
    expect(names()).toEqual([first]);
    expect(events()).toContain('JobAlreadyActive');
    await end(first as string, 'Complete');
    expect(names()).toHaveLength(2);
  });

  it('replace the one before where that is wanted', async () => {
    await create({ concurrencyPolicy: 'Replace' });
    await pass(minute);
    const [first] = names();
    await pass(minute);
    expect(names()).toHaveLength(1);
    expect(names()).not.toContain(first);
    expect(cron().status?.active).toHaveLength(1);
  });

  it('start none while they are suspended', async () => {
    await create({ suspend: true });
    await pass(3 * minute);
    expect(names()).toEqual([]);
    await test.client.modify<CronJobObject>('batch/cronjobs', 'ns', 'cron', (draft) => {
      draft.spec.suspend = false;
      return draft;
    });
    await test.quiet();
    expect(names()).toHaveLength(1);
  });

  it('forget a job that another client deleted', async () => {
    await create({ schedule: '0 * * * *' });
    await pass(60 * minute);
    await test.client.delete('batch/jobs', 'ns', names()[0] as string, { propagationPolicy: 'Background' });
    await test.quiet();
    expect(cron().status?.active).toBeUndefined();
    expect(events()).toContain('MissingJob');
  });

  it.each([
    { spec: { schedule: '61 * * * *' }, field: 'spec.schedule' },
    { spec: { schedule: 'TZ=UTC 0 * * * *' }, field: 'spec.schedule' },
    { spec: { timeZone: 'Mars/Olympus' }, field: 'spec.timeZone' },
  ])('are refused with $spec', async ({ spec, field }) => {
    await expect(create(spec)).rejects.toThrow(field);
  });
});
