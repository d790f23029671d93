import { describe, expect, it } from 'vitest';
import { formatFieldError } from '../../../base/src/field-errors.ts';
import { validateMetadata, validateMetadataUpdate } from '../../src/kinds/builtin/checks/metadata.ts';
import { dnsSubdomainName } from '../../src/kinds/builtin/checks/object-names.ts';
import type { KubeObject, Metadata } from '../../src/objects.ts';
import { context, created, createErrors, strategyOf, updateErrors } from './support.ts';

function pod(spec: object = {}, status: object = {}): KubeObject {
  const metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { containers: [{ name: 'a', image: 'b' }], ...spec },
    status,
  };
}

describe('the grace period of a pod', () => {
  it.each([
    ['is what the spec says', pod({ nodeName: 'x', terminationGracePeriodSeconds: 30 }), undefined, 30],
    ['is what the client says', pod({ nodeName: 'x', terminationGracePeriodSeconds: 30 }), 5, 5],
    ['may be zero', pod({ nodeName: 'x', terminationGracePeriodSeconds: 30 }), 0, 0],
    ['is one when negative', pod({ nodeName: 'x', terminationGracePeriodSeconds: -5 }), undefined, 1],
    ['is none without a node', pod({ terminationGracePeriodSeconds: 30 }), 30, 0],
    ['is none after success', pod({ nodeName: 'x', terminationGracePeriodSeconds: 30 }, { phase: 'Succeeded' }), 9, 0],
    ['is none after failure', pod({ nodeName: 'x', terminationGracePeriodSeconds: 30 }, { phase: 'Failed' }), 9, 0],
  ])('%s', (_, object, requested, seconds) => {
    expect(strategyOf('Pod').gracePeriodSeconds?.(object, requested)).toBe(seconds);
  });
});

describe('fields that selectors may name', () => {
  it('are the eight of a pod', () => {
    const object = pod(
      { nodeName: 'x', restartPolicy: 'Never', schedulerName: 's', serviceAccountName: 'q', hostNetwork: true },
      { phase: 'Running', podIPs: [{ ip: '1.2.3.4' }] },
    );
    expect(strategyOf('Pod').selectableFields?.(object)).toEqual({
      'spec.nodeName': 'x',
      'spec.restartPolicy': 'Never',
      'spec.schedulerName': 's',
      'spec.serviceAccountName': 'q',
      'spec.hostNetwork': 'true',
      'status.phase': 'Running',
      'status.podIP': '1.2.3.4',
      'status.nominatedNodeName': '',
    });
  });

  it('include the object of an event', () => {
    const event = created({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'a', uid: 'u' },
      source: { component: 'kubelet' },
      reason: 'Killing',
      type: 'Normal',
    });
    expect(strategyOf('Event').selectableFields?.(event)).toMatchObject({
      'involvedObject.kind': 'Pod',
      'involvedObject.name': 'a',
      'involvedObject.uid': 'u',
      'involvedObject.fieldPath': '',
      reason: 'Killing',
      source: 'kubelet',
      type: 'Normal',
    });
  });

  it('tell cordoned nodes', () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'x' }, spec: { unschedulable: true } };
    expect(strategyOf('Node').selectableFields?.(node)).toEqual({ 'spec.unschedulable': 'true' });
  });
});

describe('what deletion does with dependents', () => {
  it.each([
    ['Job', 'Orphan'],
    ['ReplicationController', 'Orphan'],
    ['Deployment', undefined],
    ['StatefulSet', undefined],
    ['CronJob', undefined],
  ])('by default, for a %s: %s', (kind, propagation) => {
    expect(strategyOf(kind).defaultPropagation).toBe(propagation);
  });
});

describe('a disruption probe', () => {
  function probing(disruptionProbe: object): KubeObject {
    return pod({ containers: [{ name: 'a', image: 'b', disruptionProbe }] });
  }

  it('gets the defaults of a probe', () => {
    const made = created(probing({ httpGet: { port: 80 } }));
    expect(made['spec']).toMatchObject({
      containers: [
        {
          disruptionProbe: {
            httpGet: { port: 80, path: '/', scheme: 'HTTP' },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
        },
      ],
    });
  });

  it.each([
    [{}, 'spec.containers[0].disruptionProbe: Required value: must specify a handler type'],
    [
      { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 3 },
      'spec.containers[0].disruptionProbe.terminationGracePeriodSeconds: Invalid value: 3: must not be set for disruptionProbes',
    ],
  ])('%j is refused', (probe, text) => {
    expect(createErrors(probing(probe))).toEqual([text]);
  });
});

describe('the older reference of a pod to its group', () => {
  it.each([
    [{ name: 'w', podGroup: 'g' }, []],
    [{ name: 'w' }, ['spec.workloadRef.podGroup: Required value']],
    [{ name: 'w', podGroup: 'a.b' }, ['spec.workloadRef.podGroup: Invalid value: "a.b": must not contain dots']],
  ])('%j', (workloadRef, errors) => {
    expect(createErrors(pod({ workloadRef }))).toEqual(errors);
  });
});

describe('updates that are allowed', () => {
  const old = created(pod({ activeDeadlineSeconds: 100, tolerations: [{ key: 'a', operator: 'Exists' }] }));
  const spec = old['spec'] as Record<string, unknown>;

  it.each([
    ['of the image', { containers: [{ ...(spec['containers'] as object[])[0], image: 'c' }] }],
    ['to a shorter deadline', { activeDeadlineSeconds: 50 }],
    [
      'with one more toleration',
      {
        tolerations: [
          { key: 'a', operator: 'Exists' },
          { key: 'b', operator: 'Exists' },
        ],
      },
    ],
  ])('%s', (_, change) => {
    expect(updateErrors({ ...old, spec: { ...spec, ...change } }, old)).toEqual([]);
  });

  it('of a pod that has ephemeral containers', () => {
    const debugged = { ...old, spec: { ...spec, ephemeralContainers: [{ name: 'e', image: 'b' }] } };
    const prepared = created(debugged);
    expect(updateErrors({ ...prepared, metadata: { ...prepared.metadata, labels: { a: 'b' } } }, prepared)).toEqual([]);
  });

  it('of the size of a pod, and of nothing else', () => {
    const limited = created(pod({ containers: [{ name: 'a', image: 'b', resources: { requests: { cpu: '1' } } }] }));
    const wanted = created(pod({ containers: [{ name: 'a', image: 'c', resources: { requests: { cpu: '2' } } }] }));
    strategyOf('Pod').prepareForSubresource?.('resize', wanted, limited, context);
    expect(updateErrors(wanted, limited, 'resize')).toEqual([]);
    expect(wanted['spec']).toMatchObject({ containers: [{ image: 'b', resources: { requests: { cpu: '2' } } }] });
  });
});

describe('metadata', () => {
  const base: Metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: 't' };
  const texts = (meta: Metadata, old: Metadata = base) => validateMetadataUpdate(meta, old).map(formatFieldError);

  it.each<readonly [string, Metadata, Metadata, readonly string[]]>([
    ['stays', base, base, []],
    ['keeps the uid', { ...base, uid: 'v' }, base, ['metadata.uid: Invalid value: "v": field is immutable']],
    ['keeps the name', { ...base, name: 'b' }, base, ['metadata.name: Invalid value: "b": field is immutable']],
    [
      'keeps the deletion',
      { ...base, deletionTimestamp: 'x' },
      base,
      ['metadata.deletionTimestamp: Invalid value: "x": field is immutable'],
    ],
    [
      'gets no finalizers while it is deleted',
      { ...base, deletionTimestamp: 'x', finalizers: ['a/b', 'a/c'] },
      { ...base, deletionTimestamp: 'x', finalizers: ['a/c'] },
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/b"}',
      ],
    ],
    [
      'says which version it replaces',
      { ...base, resourceVersion: '' },
      base,
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ],
    [
      'never counts back',
      { ...base, generation: 1 },
      { ...base, generation: 2 },
      ['metadata.generation: Invalid value: 1: must not be decremented'],
    ],
  ])('%s', (_, meta, old, errors) => {
    expect(texts(meta, old)).toEqual(errors);
  });

  it.each([
    [
      { name: '' },
      true,
      ['metadata.name: Required value: name or generateName is required', 'metadata.namespace: Required value'],
    ],
    [{ name: 'a', namespace: 'n' }, false, ['metadata.namespace: Forbidden: not allowed on this type']],
    [{ name: 'a-x', generateName: 'a-' }, false, []],
    [
      { name: 'a', finalizers: ['orphan', 'foregroundDeletion'] },
      false,
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
  ])('%j', (meta, namespaced, errors) => {
    const found = validateMetadata(meta, { namespaced, nameProblem: dnsSubdomainName });
    expect(found.map(formatFieldError)).toEqual(errors);
  });
});

describe('names', () => {
  it.each([
    [dnsSubdomainName, 'a.b-c', undefined],
    [dnsSubdomainName, `${'a'.repeat(254)}`, 'must be no more than 253 characters'],
  ])('%s of %s: %s', (problem, name, text) => {
    expect(problem(name)).toBe(text);
  });
});

describe('sizes', () => {
  const map = (data: object) => createErrors({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data });

  it('of a config map end at one mebibyte', () => {
    expect(map({ a: 'x'.repeat(1024 * 1024) })).toEqual([]);
    expect(map({ a: 'x'.repeat(1024 * 1024 + 1) })).toEqual(['[]: Too long: may not be more than 1048576 bytes']);
  });

  it('of annotations end at 256 kibibytes', () => {
    const annotated = (length: number) =>
      createErrors({ ...pod(), metadata: { name: 'a', annotations: { a: 'x'.repeat(length) } } });
    expect(annotated(262_143)).toEqual([]);
    expect(annotated(262_144)).toEqual(['metadata.annotations: Too long: may not be more than 262144 bytes']);
  });
});
