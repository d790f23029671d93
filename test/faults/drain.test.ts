import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasKubectl } from '../clients/kubectl.ts';
import type { ApiProxy, Asked } from '../support/api-proxy.ts';
import { observeAvailability } from '../support/availability.ts';
import { type FaultBed, faultBed, type StartedProcess } from './support/bed.ts';
import { type Drainer, drainArguments, startDrainer } from './support/drainer.ts';
import { eventually } from './support/eventually.ts';
import { killAt, writesLedger } from './support/kill.ts';
import { createDeployment, createPub, nothingReserved, podsOn, tally } from './support/shop.ts';

const pods = 150;
const mayBeDown = 20;
const drained = ['node-1', 'node-2', 'node-3', 'node-4'];
let bed: FaultBed;
let proxy: ApiProxy;
let doomed: StartedProcess;
let drainer: Drainer;
let namespace = '';

beforeAll(async () => {
  if (!hasKubectl) return;
  bed = await faultBed();
  await bed.replica();
  await bed.replica();
  proxy = await bed.proxy();
  doomed = await bed.process({ by: proxy });
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

const isEviction = ({ path }: Asked) => /\/eviction(\?|$)/.test(path);
const evictions = () => drainer.proxy.answers.filter(isEviction);

/** Of one node, until it is done. What kubectl said each time that it was not. */
async function drain(node: string): Promise<readonly string[]> {
  const problems: string[] = [];
  await eventually(
    async () => {
      const { code, err } = await drainer.kubectl(`drain ${node} ${drainArguments}`);
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
    const killed = killAt({ bed, proxy, process: doomed }, writesLedger, 'after');
    const problems = (await Promise.all(drained.map(drain))).flat();
    await killed;
    const answers = evictions();
    expect(Object.keys(tally(answers)).filter((code) => !['201', '404', '429', '500'].includes(code))).toEqual([]);
    // No replica answered the API server, so nothing was admitted. kubectl gives up on such a pod, and says so.
    const unanswered = answers.filter(({ code }) => code === 500);
    expect(unanswered.length).toBeGreaterThan(0);
    for (const { text } of unanswered) expect(text).toContain('failed calling webhook');
    expect(problems.join('\n')).toContain('error when evicting pods');

    expect(await podsOn(bed.cluster, namespace, drained)).toEqual([]);
    await nothingReserved(bed.cluster, namespace);
    await observer.caughtUp();
    expect(observer.lowest, observer.describe()).toBeGreaterThanOrEqual(pods - mayBeDown);
    observer.close();
  });
});
