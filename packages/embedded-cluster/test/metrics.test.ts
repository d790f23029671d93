import { describe, expect, it } from 'vitest';
import { createRequestMetrics } from '../src/metrics.ts';
import { TestPlane } from './controllers/test-plane.ts';

describe('metrics of requests', () => {
  it('count by verb, resource and code, and by how long it took', async () => {
    const { plane, store } = new TestPlane();
    const metrics = createRequestMetrics(store, plane.types, () => plane.flows.nominalSeats());
    const get = { verb: 'get', resource: 'pods', subresource: '' };
    metrics.observe({ ...get, code: 200, seconds: 0.0005 });
    metrics.observe({ ...get, code: 200, seconds: 0.003 });
    metrics.observe({ ...get, code: 404, seconds: 60 });
    const lines = metrics.render().split('\n');
    const labels = 'verb="get",resource="pods",subresource=""';
    expect(lines).toContain(`apiserver_request_total{${labels},code="200"} 2`);
    expect(lines).toContain(`apiserver_request_total{${labels},code="404"} 1`);
    const name = 'apiserver_request_duration_seconds';
    expect(lines.filter((line) => line.startsWith(`${name}_bucket`))).toEqual(
      [
        ['0.001', 1],
        ['0.005', 2],
        ['0.025', 2],
        ['0.1', 2],
        ['0.5', 2],
        ['1', 2],
        ['5', 2],
        ['30', 2],
        ['+Inf', 3],
      ].map(([bound, count]) => `${name}_bucket{${labels},le="${bound}"} ${count}`),
    );
    expect(lines).toContain(`${name}_count{${labels}} 3`);
  });

  it('have no labels that a client chose', () => {
    const { plane, store } = new TestPlane();
    const metrics = createRequestMetrics(store, plane.types, () => plane.flows.nominalSeats());
    metrics.observe({ verb: 'propfind', resource: 'a"b', subresource: 'x\ny', code: 404, seconds: 0 });
    expect(metrics.render()).toContain('{verb="other",resource="",subresource="",code="404"} 1');
  });

  it('say how many objects there are', async () => {
    const test = new TestPlane();
    await test.namespace('default');
    await test.configMap('default', 'a');
    const metrics = createRequestMetrics(test.store, test.plane.types, () => test.plane.flows.nominalSeats());
    expect(metrics.render()).toContain('apiserver_storage_objects{resource="configmaps"} 1\n');
  });
});
