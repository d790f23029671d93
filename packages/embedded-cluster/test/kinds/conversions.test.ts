import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertEvent } from '../../src/kinds/event-conversion.ts';
import { convertAutoscaler } from '../../src/kinds/hpa-conversion.ts';
import { convertWorkload } from '../../src/kinds/workload-conversion.ts';
import type { KubeObject } from '../../src/objects.ts';

const metadata = { name: 'e', namespace: 'default' };
const regarding = { kind: 'Pod', namespace: 'default', name: 'p', uid: 'u1' };

describe('an event', () => {
  const core: KubeObject = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata,
    involvedObject: regarding,
    reason: 'Tried',
    message: 'hello',
    source: { component: 'comp', host: 'h' },
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:10Z',
    count: 3,
    type: 'Normal',
    eventTime: null,
    reportingComponent: '',
    reportingInstance: '',
  };

  it('of the core group reads in events.k8s.io as a real server shows it', () => {
    expect(convertEvent(core, 'events.k8s.io/v1')).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata,
      eventTime: null,
      reason: 'Tried',
      regarding,
      note: 'hello',
      type: 'Normal',
      deprecatedSource: { component: 'comp', host: 'h' },
      deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
      deprecatedLastTimestamp: '2026-01-01T00:00:10Z',
      deprecatedCount: 3,
    });
  });

  it('of events.k8s.io reads in the core group as a real server shows it', () => {
    const event: KubeObject = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata,
      eventTime: '2026-01-01T00:00:00.123456Z',
      series: { count: 3, lastObservedTime: '2026-01-01T00:00:00.000009Z' },
      reportingController: 'x.io/c',
      reportingInstance: 'c-1',
      action: 'Do',
      reason: 'Tried',
      regarding,
      note: 'hello',
      type: 'Normal',
    };
    expect(convertEvent(event, 'v1')).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      metadata,
      involvedObject: regarding,
      reason: 'Tried',
      message: 'hello',
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      type: 'Normal',
      eventTime: '2026-01-01T00:00:00.123456Z',
      series: { count: 3, lastObservedTime: '2026-01-01T00:00:00.000009Z' },
      action: 'Do',
      reportingComponent: 'x.io/c',
      reportingInstance: 'c-1',
    });
  });

  it('comes back as it was, whatever it holds', () => {
    const field = fc.constantFrom(
      'message',
      'count',
      'source',
      'series',
      'action',
      'related',
      'reportingComponent',
      'x',
    );
    fc.assert(
      fc.property(fc.dictionary(field, fc.string({ minLength: 1 })), (fields) => {
        const complete = { ...core, ...fields };
        expect(convertEvent(convertEvent(complete, 'events.k8s.io/v1'), 'v1')).toEqual(complete);
      }),
    );
  });

  it('in the wanted version already is left alone', () => {
    expect(convertEvent(core, 'v1')).toBe(core);
  });
});

describe('a pod group', () => {
  const beta = 'scheduling.k8s.io/v1beta1';
  const alpha = 'scheduling.k8s.io/v1alpha2';
  const group = (apiVersion: string, disruptionMode: unknown): KubeObject => ({
    apiVersion,
    kind: 'PodGroup',
    metadata,
    spec: { schedulingPolicy: { gang: { minCount: 2 } }, ...(disruptionMode ? { disruptionMode } : {}) },
  });

  it.each([
    ['Pod', { single: {} }],
    ['PodGroup', { all: {} }],
    [undefined, undefined],
  ])('with the mode %s becomes one with the mode %j and comes back', (word, member) => {
    expect(convertWorkload(group(alpha, word), beta)).toEqual(group(beta, member));
    expect(convertWorkload(group(beta, member), alpha)).toEqual(group(alpha, word));
  });

  it('keeps an unknown mode for validation to see', () => {
    expect(convertWorkload(group(alpha, 'Half'), beta)).toEqual(group(beta, 'Half'));
  });

  it('leaves what it was made from as it was', () => {
    const before = Object.freeze(group(beta, Object.freeze({ all: {} })));
    Object.freeze(before['spec']);
    expect(convertWorkload(before, alpha)).not.toBe(before);
    expect(before['spec']).toHaveProperty('disruptionMode', { all: {} });
  });
});

describe('a workload', () => {
  it('keeps the fields of every version and converts the modes of its templates', () => {
    const spec = {
      podGroups: [{ name: 'a', replicas: 2 }],
      podGroupTemplates: [{ name: 'b', disruptionMode: { all: {} } }],
    };
    const object = { apiVersion: 'scheduling.k8s.io/v1beta1', kind: 'Workload', metadata, spec };
    expect(convertWorkload(object, 'scheduling.k8s.io/v1alpha2')['spec']).toEqual({
      podGroups: [{ name: 'a', replicas: 2 }],
      podGroupTemplates: [{ name: 'b', disruptionMode: 'PodGroup' }],
    });
    expect(convertWorkload(object, 'scheduling.k8s.io/v1alpha1')).toEqual({
      ...object,
      apiVersion: 'scheduling.k8s.io/v1alpha1',
    });
  });

  it('without a spec is renamed only', () => {
    const object = { apiVersion: 'scheduling.k8s.io/v1beta1', kind: 'Workload', metadata };
    expect(convertWorkload(object, 'scheduling.k8s.io/v1alpha2')).toEqual({
      ...object,
      apiVersion: 'scheduling.k8s.io/v1alpha2',
    });
  });
});

describe('a horizontal pod autoscaler', () => {
  const metric = (name: string, averageUtilization: number) => ({
    type: 'Resource',
    resource: { name, target: { type: 'Utilization', averageUtilization } },
  });
  const v2 = (fields: Record<string, unknown>, annotations?: Record<string, string>): KubeObject => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: annotations ? { ...metadata, annotations } : metadata,
    spec: { maxReplicas: 3, ...fields },
    status: { desiredReplicas: 0, currentReplicas: 1 },
  });

  it('of v1 asks for the use of CPU in v2', () => {
    const v1 = { ...v2({ targetCPUUtilizationPercentage: 50 }), apiVersion: 'autoscaling/v1' };
    expect(convertAutoscaler(v1, 'autoscaling/v2')).toEqual(v2({ metrics: [metric('cpu', 50)] }));
    expect(convertAutoscaler(v2({ metrics: [metric('cpu', 50)] }), 'autoscaling/v1')).toEqual(v1);
  });

  it.each([
    ['other metrics', v2({ metrics: [metric('memory', 70), metric('cpu', 60)] })],
    ['a behaviour', v2({ metrics: [metric('cpu', 1)], behavior: { scaleDown: { stabilizationWindowSeconds: 10 } } })],
    ['annotations of its own', v2({ metrics: [metric('memory', 7)] }, { note: 'mine' })],
    ['nothing', v2({})],
  ])('of v2 with %s comes back as it was', (_, object) => {
    const v1 = convertAutoscaler(object, 'autoscaling/v1');
    expect(v1['spec']).not.toHaveProperty('metrics');
    expect(v1['spec']).not.toHaveProperty('behavior');
    expect(convertAutoscaler(v1, 'autoscaling/v2')).toEqual(object);
  });

  it('with an annotation that is no JSON loses the annotation and nothing else', () => {
    const v1 = { ...v2({}, { 'autoscaling.alpha.kubernetes.io/metrics': '{' }), apiVersion: 'autoscaling/v1' };
    expect(convertAutoscaler(v1, 'autoscaling/v2')).toEqual(v2({}));
  });
});
