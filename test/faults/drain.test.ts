import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasKubectl } from '../clients/kubectl.ts';
import { observeAvailability } from '../support/availability.ts';
import { made } from '../support/cluster.ts';
import { type FaultBed, faultBed, type StartedProcess } from './support/bed.ts';
import { type Drainer, drainArguments, startDrainer } from './support/drainer.ts';
import { eventually } from './support/eventually.ts';
import { createDeployment, createPub, nothingReserved, tally } from './support/shop.ts';

const pods = 150;
const mayBeDown = 60;
const drained = ['node-1', 'node-2', 'node-3', 'node-4'];
let bed: FaultBed;
let doomed: StartedProcess;
let drainer: Drainer;
let namespace = '';

beforeAll(async () => {
  if (!hasKubectl) return;
  bed = await faultBed();
  await bed.replica();
  await bed.replica();
  doomed = await bed.process();
  namespace = await bed.cluster.newNamespace();
  await createDeployment(bed.cluster, namespace, 'web', pods);
  await createPub(bed.cluster, namespace, 'web', {
    selector: { matchLabels: { app: 'web' } },
    maxUnavailable: mayBeDown,
  });
  drainer = await startDrainer(bed.cluster, namespace);
}, 120_000);
afterAll(async () => {
  await drainer?.close();
  await bed?.close();
});

const evictions = () => drainer.proxy.answers.filter(({ path }) => path.endsWith('/eviction'));

/** How many drains it took: one, unless kubectl met an answer after which it gives up on a pod. */
async function drainAll(): Promise<readonly string[]> {
  const problems: string[] = [];
  await eventually(
    async () => {
      const { code, err } = await drainer.kubectl(`drain ${drained.join(' ')} ${drainArguments}`);
      if (code !== 0) problems.push(err);
      return code === 0;
    },
    'the drain finishes',
    () => problems.join('\n'),
  );
  return problems;
}

describe.skipIf(!hasKubectl)('a replica that is killed during a drain', () => {
  it('[I1] [I8] costs at most the requests that it was answering', async () => {
    const observer = await observeAvailability(bed.cluster, { namespace });
    drainer.proxy.fate = ({ path }) => {
      if (path.endsWith('/eviction') && evictions().length >= 20) {
        drainer.proxy.fate = () => ({ kind: 'pass' });
        void doomed.operator.kill('SIGKILL');
      }
      return { kind: 'pass' };
    };
    const problems = await drainAll();
    const answers = evictions();
    const strange = answers.filter(({ code }) => ![201, 404, 429, 500].includes(code));
    expect(strange).toEqual([]);
    // The API server could not ask: then nothing happened. kubectl gives up on that pod, and tells.
    const unasked = answers.filter(({ code }) => code === 500);
    for (const { text } of unasked) expect(text).toContain('failed calling webhook');
    expect(problems.length > 0, problems.join('\n')).toBe(unasked.length > 0);
    expect(tally(answers)[201]).toBeGreaterThanOrEqual((pods / 6) * drained.length * 0.8);

    const { items } = await made(bed.cluster.request('GET', `/api/v1/namespaces/${namespace}/pods`));
    const left = items.filter(
      ({ metadata, spec }) => !metadata.deletionTimestamp && drained.includes(String(spec['nodeName'])),
    );
    expect(left.map(({ metadata }) => metadata.name)).toEqual([]);
    await nothingReserved(bed.cluster, namespace);
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(pods - mayBeDown);
    expect(observer.lowest).toBeLessThan(pods);
    observer.close();
  });
});
