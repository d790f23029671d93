import { describe, expect, it } from 'vitest';
import { createMetrics, requestBuckets } from '../../src/telemetry/metrics.ts';

describe('metrics', () => {
  it('are rendered with the prefix, their help and their labels', async () => {
    const metrics = createMetrics();
    const verdicts = metrics.counter({ name: 'verdicts_total', help: 'Verdicts.', labels: ['result'] });
    verdicts.add({ result: 'allow' });
    verdicts.add({ result: 'allow' }, 2);
    const text = await metrics.render();
    expect(text).toContain('# HELP holdfast_verdicts_total Verdicts.');
    expect(text).toContain('holdfast_verdicts_total{result="allow"} 3');
    expect(metrics.contentType).toMatch(/^text\/plain/);
  });

  it('forget a gauge that was removed', async () => {
    const metrics = createMetrics();
    const gauge = metrics.gauge({ name: 'pods', help: 'Pods.', labels: ['namespace'] });
    gauge.set({ namespace: 'shop' }, 4);
    gauge.set({ namespace: 'gone' }, 1);
    gauge.remove({ namespace: 'gone' });
    const text = await metrics.render();
    expect(text).toContain('holdfast_pods{namespace="shop"} 4');
    expect(text).not.toContain('gone');
  });

  it('count observations in the buckets they were given', async () => {
    const metrics = createMetrics();
    const seconds = metrics.histogram({ name: 'wait_seconds', help: 'Wait.', labels: [] }, [0.1, 1]);
    for (const value of [0.05, 0.5, 5]) seconds.observe({}, value);
    const text = await metrics.render();
    expect(text).toContain('holdfast_wait_seconds_bucket{le="0.1"} 1');
    expect(text).toContain('holdfast_wait_seconds_bucket{le="1"} 2');
    expect(text).toContain('holdfast_wait_seconds_count 3');
  });

  it.each([['Verdicts_total'], ['ver-dicts_total'], ['1_total'], ['verdicts']])(
    'refuse %s as the name of a counter',
    (name) => {
      expect(() => createMetrics().counter({ name, help: 'x', labels: [] })).toThrow(name);
    },
  );

  it('of two registries do not meet', async () => {
    const terms = { name: 'x_total', help: 'x', labels: [] } as const;
    const one = createMetrics();
    const two = createMetrics();
    one.counter(terms).add({});
    two.counter(terms);
    expect(await one.render()).toContain('holdfast_x_total 1');
    expect(await two.render()).toContain('holdfast_x_total 0');
  });

  it('tell about the process when asked to', async () => {
    expect(await createMetrics({ runtime: true }).render()).toContain('process_resident_memory_bytes');
    expect(await createMetrics().render()).not.toContain('process_');
  });

  it('have buckets that rise', () => {
    expect([...requestBuckets].sort((a, b) => a - b)).toEqual(requestBuckets);
    expect(new Set(requestBuckets).size).toBe(requestBuckets.length);
  });
});
