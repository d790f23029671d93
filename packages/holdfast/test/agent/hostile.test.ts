import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentBed } from './support/bed.ts';

/** What a user who may create pods in one namespace can do to other namespaces by the probes of these pods. */
describe('a pod that uses its probe against others', () => {
  let bed: AgentBed;
  beforeEach(async () => {
    bed = await AgentBed.start();
  });
  afterEach(() => bed.close());

  it.each(['httpGet', 'tcpSocket'])('[A4] has no other host called by %s, and is told why', async (handler) => {
    const { port } = bed.application;
    const metadata = { path: '/victim', httpHeaders: [{ name: 'Metadata-Flavor', value: 'x' }] };
    const asked = { host: 'localhost', port, ...(handler === 'httpGet' ? metadata : {}) };
    await bed.pod('evil', { probe: { [handler]: asked, periodSeconds: 1, failureThreshold: 1 } });
    await bed.pod('honest', { probe: bed.probe('honest') });
    await bed.agent();
    await bed.eventually(() => bed.isDisruptable('honest'), 'another pod is probed');
    await bed.eventually(async () => (await bed.shown('evil')) !== undefined, 'the pod has a condition');
    expect(await bed.shown('evil')).toMatchObject({ status: 'False', reason: 'HostNotAllowed' });
    expect(bed.application.timesAsked('victim')).toBe(0);
  });

  it('[A5] does not keep others from being asked, however many containers it has that never answer', async () => {
    const names = Array.from({ length: 55 }, (_, i) => `c${i}`);
    const hanging = { httpGet: { path: '/hog', port: bed.application.port }, periodSeconds: 60, timeoutSeconds: 60 };
    bed.application.says('hog', 'silent');
    await bed.pod('hog', {
      containers: names.map((name) => ({ name, image: 'app' })),
      probe: Object.fromEntries(names.map((name) => [name, hanging])),
    });
    await bed.agent();
    await bed.eventually(() => bed.application.timesAsked('hog') >= 4, 'the hog is asked');
    // Longer than the agent takes to spread its first probes: by then all that may be under way are.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    await bed.pod('honest');
    await bed.eventually(() => bed.isDisruptable('honest'), 'another pod is asked meanwhile');
  });
});
