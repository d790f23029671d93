import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/objects.ts';
import { aSimulation } from './a-simulation.ts';

const labels = { app: 'db' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:1' }] } };

it.each([
  { kind: 'StatefulSet', resource: 'apps/statefulsets', spec: { replicas: 2, serviceName: 'db' } },
  { kind: 'DaemonSet', resource: 'apps/daemonsets', spec: {} },
])(
  'a $kind that waits for what it owns goes, because it makes nothing new meanwhile',
  async ({ kind, resource, spec }) => {
    const { client, clock, view, reports, stop } = await aSimulation(1, 2);
    const set: KubeObject = {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name: 'db', namespace: 'default' },
      spec: { ...spec, selector: { matchLabels: labels }, template },
    };
    await clock.advance(2_000);
    await client.create(resource, set);
    await clock.advance(10_000);
    expect(view.list('pods')).toHaveLength(2);
    await client.delete(resource, 'default', 'db', { propagationPolicy: 'Foreground' });
    await clock.advance(60_000);
    expect(view.get(resource, 'default', 'db')).toBeUndefined();
    for (const owned of ['pods', 'apps/controllerrevisions']) expect(view.list(owned)).toEqual([]);
    expect(reports).toEqual([]);
    stop();
  },
);
