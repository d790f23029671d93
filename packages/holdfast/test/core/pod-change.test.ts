import { describe, expect, it } from 'vitest';
import { table } from '../../../../test/support/table.ts';
import { classifyChange } from '../../src/core/pod-change.ts';

type Json = Readonly<Record<string, unknown>>;

const resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '2Gi' } };
const main: Json = { name: 'main', image: 'shop:1', resources };
const restartOnMemory = {
  ...main,
  resizePolicy: [
    { resourceName: 'cpu', restartPolicy: 'NotRequired' },
    { resourceName: 'memory', restartPolicy: 'RestartContainer' },
  ],
};
const sidecar: Json = { name: 'proxy', image: 'proxy:1' };
const metadata: Json = { name: 'web', namespace: 'shop', labels: { app: 'web' }, annotations: { team: 'a' } };
const spec: Json = {
  containers: [main, sidecar],
  initContainers: [{ name: 'setup', image: 'setup:1' }],
  tolerations: [],
  nodeName: 'node-1',
  terminationGracePeriodSeconds: 30,
  serviceAccountName: 'default',
};
const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec, status: { phase: 'Running' } };

const withSpec = (more: Json): Json => ({ ...pod, spec: { ...spec, ...more } });
const withMain = (more: Json): Json => withSpec({ containers: [{ ...main, ...more }, sidecar] });
const withMeta = (more: Json): Json => ({ ...pod, metadata: { ...metadata, ...more } });
const label = (value: string): Json => withMeta({ labels: { app: 'web', 'unavailable-pod.kruise.io/drill': value } });
const sized = (container: Json, more: Json): Json =>
  withSpec({ containers: [{ ...container, resources: { ...resources, ...more } }, sidecar] });
const cpu = { requests: { cpu: '3', memory: '1Gi' } };
const memory = { limits: { cpu: '2', memory: '4Gi' } };

interface Row {
  readonly name: string;
  readonly before?: Json;
  readonly after: Json;
  readonly want: 'harmless' | 'resize' | 'takesAway';
  /** What the answer names. */
  readonly what?: string;
}

const rows: readonly Row[] = [
  { name: 'nothing changes', after: { ...pod }, want: 'harmless' },
  { name: 'only the status changes', after: { ...pod, status: { phase: 'Failed' } }, want: 'harmless' },
  { name: 'the image of a container', after: withMain({ image: 'shop:2' }), want: 'takesAway', what: 'main' },
  {
    name: 'the image of the second container',
    after: withSpec({ containers: [main, { ...sidecar, image: 'proxy:2' }] }),
    want: 'takesAway',
    what: 'proxy',
  },
  {
    name: 'the image of an init container',
    after: withSpec({ initContainers: [{ name: 'setup', image: 'setup:2' }] }),
    want: 'takesAway',
    what: 'setup',
  },
  {
    name: 'activeDeadlineSeconds is set',
    after: withSpec({ activeDeadlineSeconds: 60 }),
    want: 'takesAway',
    what: 'activeDeadlineSeconds',
  },
  {
    name: 'activeDeadlineSeconds is shortened',
    before: withSpec({ activeDeadlineSeconds: 600 }),
    after: withSpec({ activeDeadlineSeconds: 60 }),
    want: 'takesAway',
  },
  {
    name: 'an unavailable label is added',
    after: label('x'),
    want: 'takesAway',
    what: 'unavailable-pod.kruise.io/drill',
  },
  { name: 'an unavailable label is taken off', before: label('x'), after: pod, want: 'harmless' },
  { name: 'the value of an unavailable label changes', before: label('x'), after: label('y'), want: 'harmless' },
  {
    name: 'a second unavailable label',
    before: label('x'),
    after: withMeta({ labels: { 'unavailable-pod.kruise.io/drill': 'x', 'unavailable-pod.kruise.io/more': '' } }),
    want: 'takesAway',
    what: 'unavailable-pod.kruise.io/more',
  },
  {
    name: 'the pod opts out of protection',
    after: withMeta({ annotations: { team: 'a', 'pub.kruise.io/no-protect': 'true' } }),
    want: 'harmless',
  },
  {
    name: 'the pod opts out, and gets another image',
    after: { ...withMain({ image: 'shop:2' }), metadata: { annotations: { 'pub.kruise.io/no-protect': 'true' } } },
    want: 'takesAway',
    what: 'main',
  },
  {
    name: 'a label that only resembles it',
    after: withMeta({ labels: { app: 'web', 'x.unavailable-pod.kruise.io/drill': '1' } }),
    want: 'harmless',
  },
  {
    name: 'other labels and annotations',
    after: withMeta({ labels: {}, annotations: { team: 'b' } }),
    want: 'harmless',
  },
  { name: 'no labels at all any more', after: { ...pod, metadata: { name: 'web' } }, want: 'harmless' },
  { name: 'finalizers and owners', after: withMeta({ finalizers: ['a/b'], ownerReferences: [] }), want: 'harmless' },
  { name: 'tolerations', after: withSpec({ tolerations: [{ operator: 'Exists' }] }), want: 'harmless' },
  {
    name: 'scheduling gates are lifted',
    before: withSpec({ schedulingGates: [{ name: 'quota' }] }),
    after: pod,
    want: 'harmless',
  },
  {
    name: 'an ephemeral container to debug with',
    after: withSpec({ ephemeralContainers: [{ name: 'debug', image: 'busybox' }] }),
    want: 'harmless',
  },
  { name: 'the termination grace period', after: withSpec({ terminationGracePeriodSeconds: 5 }), want: 'harmless' },
  { name: 'cpu of a container', after: sized(main, cpu), want: 'resize' },
  { name: 'memory of a container', after: sized(main, memory), want: 'resize' },
  { name: 'limits that were not there', before: withMain({ resources: {} }), after: sized(main, cpu), want: 'resize' },
  {
    name: 'cpu of a container that restarts for memory',
    before: sized(restartOnMemory, {}),
    after: sized(restartOnMemory, cpu),
    want: 'resize',
  },
  {
    name: 'memory of a container that restarts for it',
    before: sized(restartOnMemory, {}),
    after: sized(restartOnMemory, memory),
    want: 'takesAway',
    what: 'memory',
  },
  {
    name: 'a limit taken off a container that restarts for it',
    before: sized(restartOnMemory, {}),
    after: sized(restartOnMemory, { limits: { cpu: '2' } }),
    want: 'takesAway',
  },
  {
    name: 'two containers, of which one restarts',
    before: withSpec({ containers: [{ ...sidecar, resources }, restartOnMemory] }),
    after: withSpec({
      containers: [
        { ...sidecar, resources: { ...resources, ...cpu } },
        { ...restartOnMemory, resources: { ...resources, ...memory } },
      ],
    }),
    want: 'takesAway',
  },
  {
    name: 'a resize and tolerations in one',
    after: withSpec({ containers: [{ ...main, resources: { ...resources, ...cpu } }, sidecar], tolerations: [{}] }),
    want: 'resize',
  },
  {
    name: 'a resize and an image in one',
    after: withMain({ image: 'shop:2', resources: { ...resources, ...cpu } }),
    want: 'takesAway',
  },
  {
    name: 'a resize and an unavailable label in one',
    after: { ...sized(main, cpu), metadata: { ...metadata, labels: { 'unavailable-pod.kruise.io/x': '' } } },
    want: 'takesAway',
  },
  { name: 'a container is added', after: withSpec({ containers: [main, sidecar, { name: 'x' }] }), want: 'takesAway' },
  { name: 'containers in another order', after: withSpec({ containers: [sidecar, main] }), want: 'takesAway' },
  {
    name: 'a device claim of a container, which is no resize',
    after: withMain({ resources: { ...resources, claims: [{ name: 'gpu' }] } }),
    want: 'takesAway',
  },
  { name: 'a container is removed', after: withSpec({ containers: [main] }), want: 'takesAway' },
  {
    name: 'a container is renamed',
    after: withSpec({ containers: [main, { ...sidecar, name: 'p' }] }),
    want: 'takesAway',
  },
  { name: 'the environment of a container', after: withMain({ env: [{ name: 'A', value: '1' }] }), want: 'takesAway' },
  { name: 'the resize policy of a container', after: withMain({ resizePolicy: [] }), want: 'takesAway' },
  {
    name: 'another service account',
    after: withSpec({ serviceAccountName: 'x' }),
    want: 'takesAway',
    what: 'serviceAccountName',
  },
  { name: 'a field of tomorrow', after: withSpec({ teleport: true }), want: 'takesAway', what: 'teleport' },
  { name: 'another node', after: withSpec({ nodeName: 'node-2' }), want: 'takesAway', what: 'nodeName' },
];

describe('what an update does to a pod', () => {
  table(
    rows.map((row) => ({ ...row, name: `[C1] ${row.name}: ${row.want}` })),
    ({ before, after, want, what }) => {
      const change = classifyChange(before ?? pod, after);
      expect(change.kind).toBe(want);
      if (what !== undefined) expect(change).toMatchObject({ what: expect.stringContaining(what) });
    },
  );

  it('[C1] the order of keys means nothing', () => {
    const turned = Object.fromEntries(Object.entries(spec).toReversed());
    expect(classifyChange(pod, { ...pod, spec: turned }).kind).toBe('harmless');
  });

  it('[C1] a spec that is not there any more takes the pod away', () => {
    expect(classifyChange(pod, { ...pod, spec: undefined }).kind).toBe('takesAway');
    expect(classifyChange(pod, {}).kind).toBe('takesAway');
  });
});

describe('what shows that a change that takes a pod away is over', () => {
  const endsOf = (after: unknown, before: unknown = pod) => {
    const change = classifyChange(before, after);
    return change.kind === 'takesAway' ? change.ends : change.kind;
  };
  const staying = { name: 'proxy-0', image: 'proxy:1', restartPolicy: 'Always' };
  const withSidecar = withSpec({ initContainers: [staying] });

  table<{ name: string; before?: Json; after: Json; want: unknown }>(
    [
      {
        name: 'the restart of a container with a new image',
        after: withMain({ image: 'shop:2' }),
        want: { kind: 'restarts', containers: ['main'] },
      },
      {
        name: 'the restarts of all that have one',
        after: withSpec({
          containers: [
            { ...main, image: 'shop:2' },
            { ...sidecar, image: 'proxy:2' },
          ],
        }),
        want: { kind: 'restarts', containers: ['main', 'proxy'] },
      },
      {
        name: 'no restart of an init container, which has ended',
        after: withSpec({ initContainers: [{ name: 'setup', image: 'setup:2' }] }),
        want: { kind: 'restarts', containers: [] },
      },
      {
        name: 'the restart of an init container that stays',
        before: withSidecar,
        after: withSpec({ initContainers: [{ ...staying, image: 'proxy:2' }] }),
        want: { kind: 'restarts', containers: ['proxy-0'] },
      },
      {
        name: 'the restart that a resize asks for',
        before: withSpec({ containers: [restartOnMemory, sidecar] }),
        after: sized(restartOnMemory, memory),
        want: { kind: 'restarts', containers: ['main'] },
      },
      { name: 'the label itself', after: label('x'), want: { kind: 'label' } },
      {
        name: 'a restart, though a label is added, too',
        after: { ...label('x'), spec: { ...spec, containers: [{ ...main, image: 'shop:2' }, sidecar] } },
        want: { kind: 'restarts', containers: ['main'] },
      },
      {
        name: 'nothing, where it is not known what it does',
        after: withSpec({ activeDeadlineSeconds: 5, containers: [{ ...main, image: 'shop:2' }, sidecar] }),
        want: { kind: 'unknown' },
      },
    ].map((row) => ({ ...row, name: `[C1] [L8] ${row.name}` })),
    ({ before, after, want }) => expect(endsOf(after, before)).toEqual(want),
  );
});
