import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';

const cluster = await testCluster({ controllers: true, nodes: 1, speed: 20 });
afterAll(() => cluster.close());
if (cluster.lacksControllers) await cluster.close();

const batch = `/apis/batch/v1/namespaces/${cluster.namespace}`;

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it never came to this: ${what}`);
}

const cronJob = (name: string, more: object = {}) => ({
  metadata: { name },
  spec: {
    schedule: '@every 1s',
    concurrencyPolicy: 'Forbid',
    jobTemplate: {
      metadata: { labels: { cron: name } },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    },
    ...more,
  },
});

const jobsOf = async (name: string): Promise<readonly Body[]> =>
  (await made(cluster.request('GET', `${batch}/jobs?labelSelector=cron%3D${name}`))).items;

describe.skipIf(cluster.lacksControllers)('cron jobs', () => {
  it('start jobs on schedule, which go with them', async () => {
    const { metadata } = await made(cluster.request('POST', `${batch}/cronjobs`, { body: cronJob('often') }));
    const job = await until('a job is started', async () => (await jobsOf('often'))[0]);
    const scheduled = job.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'] ?? '';
    expect(job.metadata.name).toBe(`often-${Math.floor(Date.parse(scheduled) / 60_000)}`);
    expect(job.metadata.ownerReferences).toMatchObject([{ kind: 'CronJob', uid: metadata.uid, controller: true }]);
    await until('its status says so', async () => {
      const { status } = await made(cluster.request('GET', `${batch}/cronjobs/often`));
      return status['lastScheduleTime'] === scheduled ? status : undefined;
    });
    const propagationPolicy = 'Background';
    await made(cluster.request('DELETE', `${batch}/cronjobs/often`, { body: { propagationPolicy } }));
    await until('the job is gone', async () => ((await jobsOf('often')).length === 0 ? true : undefined));
  });

  it('say why a schedule or a time zone cannot be read', async () => {
    const refused = async (more: object) =>
      (await cluster.request('POST', `${batch}/cronjobs`, { body: cronJob('bad', more) })).body;
    expect(await refused({ schedule: '60 * * * *' })).toMatchObject({
      reason: 'Invalid',
      details: {
        causes: [
          { field: 'spec.schedule', message: expect.stringContaining('end of range (60) above maximum (59): 60') },
        ],
      },
    });
    expect(await refused({ schedule: '* * *' })).toMatchObject({
      details: { causes: [{ message: expect.stringContaining('expected exactly 5 fields, found 3: [* * *]') }] },
    });
    expect(await refused({ timeZone: 'Mars/Olympus' })).toMatchObject({
      details: {
        causes: [{ field: 'spec.timeZone', message: expect.stringContaining('unknown time zone Mars/Olympus') }],
      },
    });
  });
});
