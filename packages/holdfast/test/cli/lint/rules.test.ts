import { describe, expect, it } from 'vitest';
import type { LoadedObject } from '../../../src/cli/load-objects.ts';
import { rules } from '../../../src/core/lint/lint.ts';
import {
  autoscaler,
  codesOf,
  daemonSet,
  deployment,
  groupKinds,
  leaderWorkerSet,
  messagesOf,
  pdb,
  pub,
  singleKinds,
  statefulSet,
  statefulSetOf,
  withAnnotations,
} from './manifests.ts';

interface Case {
  readonly title: string;
  readonly objects: readonly LoadedObject[];
  /** All that is found, in order. */
  readonly want: readonly string[];
  /** What one of the messages says. */
  readonly says?: string;
}

const scope = (more: Readonly<Record<string, string>> = {}) => ({ 'holdfast.dev/budget-scope': 'PodGroup', ...more });
const groups = { podGroupPolicy: { groupLabelKey: 'leaderworkerset.sigs.k8s.io/group-index', minReadyReplicas: 2 } };
const probe = (text: string) => ({ annotations: { 'holdfast.dev/disruption-probe': text } });
const namespace = (guard: string): LoadedObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', labels: { 'holdfast.dev/guard': guard } },
});

const onPdb = 'PodDisruptionBudget';
const onPub = 'PodUnavailableBudget';

const cases: readonly Case[] = [
  { title: 'fine', objects: [deployment(3), pdb('web', { maxUnavailable: 1 })], want: [] },
  { title: 'fine, in percent', objects: [deployment(3), pdb('web', { minAvailable: '50%' })], want: [] },
  { title: 'fine, by groups', objects: [leaderWorkerSet(2, 2), pdb('web', { maxUnavailable: 1 }, scope())], want: [] },
  {
    title: 'fine, a PUB by groups',
    objects: [leaderWorkerSet(2, 2), pub('web', { maxUnavailable: 1, ...groups })],
    want: [],
  },
  {
    title: 'a PDB without a limit',
    objects: [deployment(3), pdb('web', {})],
    want: [`HF001 ${onPdb}`],
    says: 'has neither minAvailable nor maxUnavailable',
  },
  {
    title: 'a PUB with both limits',
    objects: [deployment(3), pub('web', { minAvailable: 1, maxUnavailable: 1 })],
    want: [`HF001 ${onPub}`],
    says: 'mutually exclusive',
  },
  {
    title: 'more wanted than there are',
    objects: [deployment(3), pdb('web', { minAvailable: 4 })],
    want: [`HF002 ${onPdb}`],
    says: 'requires 4 available pods, and there are 3',
  },
  {
    title: 'more groups wanted than there are',
    objects: [leaderWorkerSet(2, 2), pdb('web', { minAvailable: 3 }, scope())],
    want: [`HF002 ${onPdb}`],
    says: 'requires 3 available groups, and there are 2',
  },
  { title: 'all wanted', objects: [deployment(3), pdb('web', { minAvailable: '100%' })], want: [`HF003 ${onPdb}`] },
  { title: 'nothing may go', objects: [deployment(3), pub('web', { maxUnavailable: 0 })], want: [`HF003 ${onPub}`] },
  {
    title: 'one replica under a minimum of one',
    objects: [deployment(undefined), pdb('web', { minAvailable: 1 })],
    want: [`HF003 ${onPdb}`],
    says: 'requires all of its 1 pod to be available',
  },
  {
    title: 'a selector that misses its pods',
    objects: [deployment(3, { labels: { app: 'shop' } }), pdb('web', { maxUnavailable: 1 })],
    want: [`HF004 ${onPdb}`],
  },
  { title: 'a budget without workloads', objects: [pub('web', { maxUnavailable: 1 })], want: [`HF004 ${onPub}`] },
  {
    title: 'pods counted where groups serve',
    objects: [leaderWorkerSet(2, 2), pdb('web', { minAvailable: 2 })],
    want: [`HF005 ${onPdb}`],
    says: 'serves in the group web/0',
  },
  {
    title: 'the same under a PUB',
    objects: [leaderWorkerSet(2, 2), pub('web', { maxUnavailable: 1 })],
    want: [`HF005 ${onPub}`],
  },
  {
    title: 'pods counted on purpose',
    objects: [leaderWorkerSet(2, 2), pdb('web', { minAvailable: 2 }, { 'holdfast.dev/budget-scope': 'Pod' })],
    want: [],
  },
  { title: 'groups of one', objects: [leaderWorkerSet(3, 1), pdb('web', { minAvailable: 2 })], want: [] },
  {
    title: 'two plain PDBs over the same pods',
    objects: [deployment(3), pdb('a', { maxUnavailable: 1 }), pdb('b', { maxUnavailable: 1 })],
    want: [`HF006 ${onPdb}`],
    says: 'shares pods such as web-0 with PodDisruptionBudget b',
  },
  {
    title: 'a PDB beside a PUB',
    objects: [deployment(3), pdb('a', { maxUnavailable: 1 }), pub('b', { maxUnavailable: 1 })],
    want: [`HF007 ${onPdb}`],
    says: 'with PodUnavailableBudget b',
  },
  {
    title: 'a minimum larger than its groups',
    objects: [
      leaderWorkerSet(3, 2),
      pdb('web', { maxUnavailable: 1 }, scope({ 'holdfast.dev/group-min-available': '3' })),
    ],
    want: [`HF008 ${onPdb}`],
    says: 'group web/0 has 2 pods, and serves with 3',
  },
  {
    title: 'minReadyReplicas larger than the groups',
    objects: [leaderWorkerSet(3, 1), pub('web', { maxUnavailable: 1, ...groups })],
    want: [`HF008 ${onPub}`],
  },
  {
    title: 'minReadyReplicas smaller than the groups',
    objects: [leaderWorkerSet(3, 3), pub('web', { maxUnavailable: 1, ...groups })],
    want: [`HF017 ${onPub}`],
    says: 'group 0 has 3 pods, and minReadyReplicas is 2',
  },
  {
    title: 'a number that an autoscaler goes down to',
    objects: [deployment(5), autoscaler(2), pdb('web', { minAvailable: 2 })],
    want: [`HF009 ${onPdb}`],
    says: 'scales Deployment/web down to 2',
  },
  { title: 'a number below it', objects: [deployment(5), autoscaler(3), pdb('web', { minAvailable: 2 })], want: [] },
  {
    title: 'a percentage beside it',
    objects: [deployment(5), autoscaler(2), pdb('web', { minAvailable: '50%' })],
    want: [],
  },
  {
    title: 'replicas left to an autoscaler',
    objects: [deployment(undefined), autoscaler(4), pdb('web', { maxUnavailable: 1 })],
    want: [],
  },
  {
    title: 'a probe that cannot be read',
    objects: [deployment(3, probe('{"httpGet":{}}')), pdb('web', { maxUnavailable: 1 })],
    want: ['HF010 Deployment'],
    says: 'httpGet.port',
  },
  {
    title: 'a probe that can',
    objects: [deployment(3, probe('{"httpGet":{"port":80}}')), pdb('web', { maxUnavailable: 1 })],
    want: [],
  },
  {
    title: 'no readiness probe',
    objects: [deployment(3, { containers: [{ name: 'main' }] }), pdb('web', { maxUnavailable: 1 })],
    want: ['HF011 Deployment'],
    says: 'container main has no readinessProbe',
  },
  {
    title: 'no readiness probe, and no budget',
    objects: [deployment(3, { containers: [{ name: 'main' }] })],
    want: [],
  },
  {
    title: 'a disruption probe in its place',
    objects: [
      deployment(3, { ...probe('{"tcpSocket":{"port":80}}'), containers: [{ name: 'main' }] }),
      pdb('web', { maxUnavailable: 1 }),
    ],
    want: [],
  },
  {
    title: 'an unknown scope',
    objects: [deployment(3), pdb('web', { maxUnavailable: 1 }, { 'holdfast.dev/budget-scope': 'Group' })],
    want: [`HF012 ${onPdb}`],
    says: 'supported values',
  },
  {
    title: 'an unknown update strategy',
    objects: [statefulSet({ 'holdfast.dev/update-strategy': 'Enforced' })],
    want: ['HF012 StatefulSet'],
  },
  {
    title: 'a misspelt value of the projection',
    objects: [deployment(3), pdb('web', { maxUnavailable: 1 }, { 'holdfast.dev/projection': 'disable' })],
    want: [`HF012 ${onPdb}`],
    says: 'metadata.annotations[holdfast.dev/projection]: Unsupported value: "disable": supported values: "disabled"; did you mean "disabled"?',
  },
  {
    title: 'a projection that is switched off',
    objects: [deployment(3), pdb('web', { maxUnavailable: 1 }, { 'holdfast.dev/projection': 'disabled' })],
    want: [],
  },
  {
    title: 'a projection on a Deployment',
    objects: [withAnnotations(deployment(3), { 'holdfast.dev/projection': 'disabled' })],
    want: ['HF018 Deployment'],
    says: 'holdfast.dev/projection has no effect on a Deployment: it belongs on a PodDisruptionBudget',
  },
  { title: 'an unknown value of the guard label', objects: [namespace('on')], want: ['HF012 Namespace'] },
  { title: 'a guard label', objects: [namespace('disabled')], want: [] },
  {
    title: 'a misspelt annotation',
    objects: [deployment(3), pdb('web', { maxUnavailable: 1 }, { 'holdfast.dev/budget-scop': 'PodGroup' })],
    want: [`HF013 ${onPdb}`],
    says: 'unknown annotation holdfast.dev/budget-scop; did you mean holdfast.dev/budget-scope?',
  },
  {
    title: 'an annotation that resembles none',
    objects: [deployment(3), pdb('web', { maxUnavailable: 1 }, { 'holdfast.dev/completely-else': 'x' })],
    want: [`HF013 ${onPdb}`],
    says: 'unknown annotation holdfast.dev/completely-else',
  },
  {
    title: 'an annotation of budgets on a Deployment',
    objects: [withAnnotations(deployment(3), scope())],
    want: ['HF018 Deployment'],
    says: 'holdfast.dev/budget-scope has no effect on a Deployment: it belongs on a PodDisruptionBudget',
  },
  {
    title: 'a probe on the workload instead of its pods',
    objects: [withAnnotations(deployment(3), probe('{"tcpSocket":{"port":80}}').annotations)],
    want: ['HF018 Deployment'],
    says: 'it belongs on a Pod, or on the pod template of a workload',
  },
  {
    title: 'an annotation of budgets in a template',
    objects: [deployment(3, { annotations: scope() })],
    want: ['HF018 Deployment'],
    says: 'has no effect on a template of pods',
  },
  {
    title: 'a strategy that is almost ours',
    objects: [statefulSetOf('enforcedRollingUpdate')],
    want: ['HF012 StatefulSet'],
    says: 'spec.updateStrategy.type: Unsupported value: "enforcedRollingUpdate": supported values: "RollingUpdate", "OnDelete", "EnforcedRollingUpdate"; did you mean "EnforcedRollingUpdate"?',
  },
  { title: 'a strategy of Kubernetes', objects: [statefulSetOf('OnDelete')], want: [] },
  {
    title: 'a scope that is almost one',
    objects: [deployment(3), pdb('web', { maxUnavailable: 1 }, { 'holdfast.dev/budget-scope': 'podgroup' })],
    want: [`HF012 ${onPdb}`],
    says: 'did you mean "PodGroup"?',
  },
  ...groupKinds.flatMap(({ title, object, alone }): readonly Case[] => [
    {
      title: `pods counted where groups serve: ${title}`,
      objects: [object, pdb('web', { minAvailable: 1 })],
      want: [`HF005 ${onPdb}`],
    },
    { title: `groups counted: ${title}`, objects: [object, pdb('web', { minAvailable: 1 }, scope())], want: alone },
  ]),
  ...singleKinds.map(
    ({ title, object }): Case => ({
      title: `no false alarm: ${title}`,
      objects: [object, pdb('web', { minAvailable: 1 })],
      want: [],
    }),
  ),
  {
    title: 'a misspelt annotation in a template',
    objects: [deployment(3, { annotations: { 'holdfast.dev/disruption-probes': '{}' } })],
    want: ['HF013 Deployment'],
    says: 'did you mean holdfast.dev/disruption-probe?',
  },
  {
    title: 'a DaemonSet under maxUnavailable',
    objects: [daemonSet(), pdb('web', { maxUnavailable: 1 })],
    want: [`HF014 ${onPdb}`],
    says: 'DaemonSet web has no scale',
  },
  {
    title: 'groups wanted of pods that are in none',
    objects: [deployment(3), pdb('web', { maxUnavailable: 1 }, scope())],
    want: [`HF015 ${onPdb}`],
    says: 'the group of web-0 is unknown',
  },
  {
    title: 'a PUB for a workload that is not there',
    objects: [
      {
        ...pub('web', {}),
        spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxUnavailable: 1 },
      },
    ],
    want: [`HF004 ${onPub}`, `HF016 ${onPub}`],
    says: 'Deployment web, which does not exist',
  },
  {
    title: 'a PUB for one that is',
    objects: [
      deployment(3),
      {
        ...pub('web', {}),
        spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxUnavailable: 1 },
      },
    ],
    want: [],
  },
];

describe('the rules of holdfast lint', () => {
  it.each(cases)('$title', ({ objects, want, says }) => {
    expect(codesOf(objects)).toEqual(want);
    if (says !== undefined) expect(messagesOf(objects).join('\n')).toContain(says);
  });

  it('have a case each, and codes that no two share', () => {
    const tried = new Set(cases.flatMap(({ want }) => want.map((one) => one.split(' ')[0])));
    const codes = rules.map(({ code }) => code);
    expect([...tried].toSorted()).toEqual(codes);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it.each(rules)('$code says why and what to do in whole sentences', ({ code, name, why, fix }) => {
    expect(code).toMatch(/^HF\d{3}$/);
    expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
    for (const text of [why, fix]) expect(text).toMatch(/^[A-Z].*\.$/);
  });
});
