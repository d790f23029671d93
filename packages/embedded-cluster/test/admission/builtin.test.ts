import { describe, expect, test } from 'vitest';
import type { AdmissionRequest } from '../../src/admission/admission.ts';
import type { JsonObject, KubeObject } from '../../src/objects.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';
import { admissionOver, aNamespace, aPod, aRequest, namespaces, nodes, pods, refusalFrom, typeOf } from './world.ts';

const account = (name: string, more: JsonObject = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace: 'shop' },
  ...more,
});
const priorityClass = (name: string, value: number, more: JsonObject = {}): KubeObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  ...more,
});
const specOf = (object: KubeObject | undefined) => object?.['spec'] as JsonObject;

describe('the life of namespaces', () => {
  const cases: readonly [name: string, request: Partial<AdmissionRequest>, status: JsonObject][] = [
    [
      'nothing is created in one that does not exist',
      { namespace: 'gone' },
      {
        code: 404,
        reason: 'NotFound',
        message: 'namespaces "gone" not found',
        details: { name: 'gone', kind: 'namespaces' },
      },
    ],
    [
      'nothing is created in one that goes',
      { namespace: 'going', name: '', object: aPod({}, { name: undefined, generateName: 'web-' }) },
      {
        code: 403,
        reason: 'Forbidden',
        message:
          'pods "web-" is forbidden: unable to create new content in namespace going because it is being terminated',
        details: {
          name: 'web-',
          kind: 'pods',
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: 'namespace going is being terminated',
              field: 'metadata.namespace',
            },
          ],
        },
      },
    ],
    [
      'some are never deleted',
      { type: namespaces, operation: 'DELETE', namespace: '', name: 'kube-system', object: undefined },
      {
        code: 403,
        reason: 'Forbidden',
        message: 'namespaces "kube-system" is forbidden: this namespace may not be deleted',
        details: { name: 'kube-system', kind: 'namespaces' },
      },
    ],
  ];
  const admission = admissionOver({ namespaces: [aNamespace('shop'), aNamespace('going', {}, 'Terminating')] });

  test.each(cases)('%s', async (_name, request, status) => {
    expect((await refusalFrom(admission.mutate(aRequest(request)))).status).toEqual(status);
  });

  test('what is in one that goes can be changed and deleted', async () => {
    await admission.mutate(aRequest({ namespace: 'going', operation: 'UPDATE', oldObject: aPod() }));
    await admission.mutate(aRequest({ namespace: 'going', operation: 'DELETE', object: undefined, oldObject: aPod() }));
  });

  test('others are deleted', async () => {
    await admission.mutate(aRequest({ type: namespaces, operation: 'DELETE', name: 'shop', object: undefined }));
  });

  test('a plugin that is switched off has no say', async () => {
    const without = admissionOver({}, { disabledPlugins: ['NamespaceLifecycle', 'ServiceAccount'] });
    await without.mutate(aRequest({ namespace: 'gone' }));
  });
});

describe('the service account of a new pod', () => {
  const anonymous = aPod({ serviceAccountName: undefined });

  test('is the default one where none is named', async () => {
    const result = await admissionOver({}).mutate(aRequest({ object: anonymous }));
    expect(specOf(result)).toMatchObject({ serviceAccountName: 'default', serviceAccount: 'default' });
    expect(specOf(result)).not.toHaveProperty('volumes');
  });

  test('must exist', async () => {
    const work = admissionOver({}).mutate(aRequest({ object: aPod({ serviceAccountName: 'other' }) }));
    expect((await refusalFrom(work)).status).toMatchObject({
      code: 403,
      message:
        'pods "web-0" is forbidden: error looking up service account shop/other: serviceaccount "other" not found',
    });
  });

  test('is waited for when it is the default one of a new namespace', async () => {
    const clock = new VirtualClock();
    const accounts: KubeObject[] = [];
    const work = admissionOver({ serviceaccounts: accounts }, { clock }).mutate(aRequest({ object: anonymous }));
    await clock.advance(150);
    accounts.push(account('default'));
    await clock.advance(1_000);
    expect(specOf(await work)).toMatchObject({ serviceAccountName: 'default' });
  });

  test('is not waited for forever', async () => {
    const clock = new VirtualClock();
    const work = refusalFrom(admissionOver({ serviceaccounts: [] }, { clock }).mutate(aRequest({ object: anonymous })));
    await clock.advance(2_000);
    expect((await work).message).toContain('serviceaccount "default" not found');
  });

  test('gives its pull secrets to a pod that has none', async () => {
    const serviceaccounts = [account('default', { imagePullSecrets: [{ name: 'registry' }] })];
    const admission = admissionOver({ serviceaccounts });
    expect(specOf(await admission.mutate(aRequest()))).toMatchObject({ imagePullSecrets: [{ name: 'registry' }] });
    const own = aPod({ imagePullSecrets: [{ name: 'mine' }] });
    expect(specOf(await admission.mutate(aRequest({ object: own })))).toMatchObject({
      imagePullSecrets: [{ name: 'mine' }],
    });
  });

  test('is mounted as on the real server, where that is wanted', async () => {
    const object = aPod({
      initContainers: [{ name: 'init' }],
      containers: [
        { name: 'web' },
        { name: 'own', volumeMounts: [{ name: 'x', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
      ],
    });
    const result = await admissionOver({}, { mountServiceAccountTokens: true }).mutate(aRequest({ object }));
    const spec = specOf(result) as {
      volumes: { name: string }[];
      containers: JsonObject[];
      initContainers: JsonObject[];
    };
    const name = spec.volumes[0]?.name ?? '';
    expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    const mount = { name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
    expect(spec.initContainers[0]).toEqual({ name: 'init', volumeMounts: [mount] });
    expect(spec.containers[0]).toEqual({ name: 'web', volumeMounts: [mount] });
    expect(spec.containers[1]?.['volumeMounts']).toHaveLength(1);
    expect(spec.volumes).toEqual([
      {
        name,
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
              },
            },
          ],
        },
      },
    ]);
  });

  test('is not mounted in a pod that does not want it', async () => {
    const object = aPod({ automountServiceAccountToken: false });
    const result = await admissionOver({}, { mountServiceAccountTokens: true }).mutate(aRequest({ object }));
    expect(specOf(result)).not.toHaveProperty('volumes');
  });

  test('must not be named by a mirror pod', async () => {
    const object = aPod({}, { annotations: { 'kubernetes.io/config.mirror': '' } });
    expect((await refusalFrom(admissionOver({}).mutate(aRequest({ object })))).message).toBe(
      'pods "web-0" is forbidden: a mirror pod may not reference service accounts',
    );
  });

  test('must still exist after webhooks have named another', async () => {
    const object = aPod({ serviceAccountName: 'other' });
    expect((await refusalFrom(admissionOver({}).validate(aRequest({ object })))).message).toBe(
      'pods "web-0" is forbidden: error looking up service account shop/other: serviceaccount "other" not found',
    );
  });

  test('is missing in a pod that a webhook took it from', async () => {
    expect((await refusalFrom(admissionOver({}).validate(aRequest({ object: anonymous })))).message).toBe(
      'pods "web-0" is forbidden: no service account specified for pod shop/web-0',
    );
  });
});

describe('the priority of a pod', () => {
  const key = 'scheduling.k8s.io/priorityclasses';
  const classes = [
    priorityClass('high', 1000, { preemptionPolicy: 'Never' }),
    priorityClass('usual', 10, { globalDefault: true, preemptionPolicy: 'PreemptLowerPriority' }),
    priorityClass('lower', 5, { globalDefault: true }),
  ];
  const cases: readonly [name: string, spec: JsonObject, stored: readonly KubeObject[], result: JsonObject][] = [
    ['is 0 without any class', {}, [], { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
    ['is that of its class', { priorityClassName: 'high' }, classes, { priority: 1000, preemptionPolicy: 'Never' }],
    ['is that of the lowest default', {}, classes, { priority: 5, priorityClassName: 'lower' }],
    ['is that of a system class', { priorityClassName: 'system-node-critical' }, [], { priority: 2_000_001_000 }],
  ];

  test.each(cases)('%s', async (_name, spec, stored, result) => {
    const admitted = await admissionOver({ [key]: stored }).mutate(aRequest({ object: aPod(spec) }));
    expect(specOf(admitted)).toMatchObject(result);
  });

  const refusals: readonly [name: string, spec: JsonObject, why: string][] = [
    ['of an unknown class', { priorityClassName: 'x' }, 'no PriorityClass with name x was found'],
    [
      'of another number',
      { priorityClassName: 'high', priority: 7 },
      'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
    ],
    [
      'of another policy',
      { priorityClassName: 'high', preemptionPolicy: 'PreemptLowerPriority' },
      'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
    ],
  ];

  test.each(refusals)('%s is refused', async (_name, spec, why) => {
    const work = admissionOver({ [key]: classes }).mutate(aRequest({ object: aPod(spec) }));
    expect((await refusalFrom(work)).status).toMatchObject({
      code: 403,
      message: `pods "web-0" is forbidden: ${why}`,
    });
  });

  test('survives an update that leaves it out', async () => {
    const oldObject = aPod({ priority: 7, preemptionPolicy: 'Never' });
    const updated = await admissionOver({}).mutate(aRequest({ operation: 'UPDATE', oldObject }));
    expect(specOf(updated)).toMatchObject({ priority: 7, preemptionPolicy: 'Never' });
  });

  test('has one default only', async () => {
    const type = typeOf('scheduling.k8s.io', 'v1', 'priorityclasses', 'PriorityClass', { namespaced: false });
    const object = priorityClass('another', 1, { globalDefault: true });
    const request = aRequest({ type, namespace: '', name: 'another', object });
    expect((await refusalFrom(admissionOver({ [key]: classes }).validate(request))).message).toBe(
      'priorityclasses.scheduling.k8s.io "another" is forbidden: PriorityClass lower is already marked as default. Only one default can exist',
    );
    await admissionOver({ [key]: [object] }).validate({ ...request, operation: 'UPDATE' });
  });
});

describe('tolerations of a pod', () => {
  const lost = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  const notReady = 'node.kubernetes.io/not-ready';
  const unreachable = 'node.kubernetes.io/unreachable';
  const cases: readonly [name: string, given: readonly JsonObject[], added: readonly string[]][] = [
    ['get five minutes for both taints', [], [notReady, unreachable]],
    ['keep what they say about one', [{ key: notReady, operator: 'Exists' }], [unreachable]],
    ['keep what they say about everything', [{ operator: 'Exists' }], []],
    ['of another effect do not count', [{ key: notReady, effect: 'NoSchedule' }], [notReady, unreachable]],
  ];

  test.each(cases)('%s', async (_name, tolerations, added) => {
    const result = await admissionOver({}).mutate(aRequest({ object: aPod({ tolerations }) }));
    expect(specOf(result)['tolerations']).toEqual([...tolerations, ...added.map(lost)]);
  });

  test('are not touched by a subresource', async () => {
    const result = await admissionOver({}).mutate(aRequest({ type: pods, operation: 'UPDATE', subresource: 'status' }));
    expect(specOf(result)).not.toHaveProperty('tolerations');
  });
});

describe('a new node', () => {
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  const node = (spec?: JsonObject): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'a' },
    ...(spec ? { spec } : {}),
  });

  test.each([
    ['without a spec', node(), [taint]],
    [
      'with other taints',
      node({ taints: [{ key: 'x', effect: 'NoExecute' }] }),
      [{ key: 'x', effect: 'NoExecute' }, taint],
    ],
    ['that has the taint', node({ taints: [taint] }), [taint]],
  ])('%s takes no pods yet', async (_name, object, taints) => {
    const result = await admissionOver({}).mutate(aRequest({ type: nodes, namespace: '', name: 'a', object }));
    expect(specOf(result)['taints']).toEqual(taints);
  });

  test('that is changed later is left as it is', async () => {
    const request = aRequest({ type: nodes, operation: 'UPDATE', namespace: '', name: 'a', object: node({}) });
    expect(specOf(await admissionOver({}).mutate(request))).toEqual({});
  });
});
