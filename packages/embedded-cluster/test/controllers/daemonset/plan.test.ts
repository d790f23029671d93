import type { NodeSelectorRequirement, Taint, Toleration } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import type { PodObject } from '../../../src/controllers/common/workloads.ts';
import { meetsNodeRequirements } from '../../../src/controllers/daemonset/node-affinity.ts';
import { tolerationsOf, untolerated } from '../../../src/controllers/daemonset/node-taints.ts';
import { planDaemonSet } from '../../../src/controllers/daemonset/plan-daemon-set.ts';
import { daemonSet, node, pod, ready } from '../workloads.ts';

const nowMs = Date.parse('2026-01-02T00:00:00Z');

function daemon(name: string, nodeName: string, hash: string, fields: Partial<PodObject> = {}): PodObject {
  const made = { ...pod(name, nodeName ? { nodeName } : {}, ready()), ...fields };
  made.metadata.labels = { app: 'web', 'controller-revision-hash': hash };
  made.metadata.creationTimestamp = `2026-01-01T00:00:0${name.at(-1)}Z`;
  return made;
}

function plan(pods: readonly PodObject[], spec = {}, backoff = 0) {
  const made = planDaemonSet({
    set: daemonSet('agent', spec),
    nodes: [node('a'), node('b')],
    pods,
    hash: 'new',
    nowMs,
    backoffMs: () => backoff,
  });
  return { ...made, remove: made.remove.map(({ metadata }) => metadata.name) };
}

describe('a look at a DaemonSet', () => {
  it('keeps the oldest of several pods on a node', () => {
    const pods = [daemon('p-2', 'a', 'new'), daemon('p-1', 'a', 'new'), daemon('p-3', 'b', 'new')];
    expect(plan(pods)).toMatchObject({ create: [], remove: ['p-2'] });
  });

  it('removes pods that are bound for a node that is gone', () => {
    const pods = [daemon('p-1', 'a', 'new'), daemon('p-2', 'b', 'new'), daemon('p-3', '', 'new')];
    expect(plan(pods)).toMatchObject({ remove: ['p-3'] });
  });

  it('waits with a failed pod while its node backs off', () => {
    const pods = [daemon('p-1', 'a', 'new', { status: { phase: 'Failed' } }), daemon('p-2', 'b', 'new')];
    expect(plan(pods, {}, 4000)).toMatchObject({ create: [], remove: [], requeueMs: 4000 });
    expect(plan(pods)).toMatchObject({ remove: ['p-1'] });
  });

  it('replaces an old pod that is unavailable, whatever else is unavailable', () => {
    const pods = [
      daemon('p-1', 'a', 'old', { status: { phase: 'Running' } }),
      daemon('p-2', 'b', 'old', { status: { phase: 'Pending' } }),
    ];
    expect(plan(pods)).toMatchObject({ remove: ['p-1', 'p-2'] });
  });

  it('does not update while a pod is missing', () => {
    expect(plan([daemon('p-1', 'a', 'old')])).toMatchObject({ create: ['b'], remove: [] });
  });

  it('does nothing while it is being deleted', () => {
    const set = daemonSet('agent');
    set.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    const made = planDaemonSet({ set, nodes: [node('a')], pods: [], hash: 'new', nowMs, backoffMs: () => 0 });
    expect(made.create).toEqual([]);
  });
});

describe('what a pod requires of its node', () => {
  const labelled = node('a', { labels: { disk: 'ssd', cores: '8' } });
  const requires = (
    requirement: NodeSelectorRequirement,
    kind: 'matchExpressions' | 'matchFields' = 'matchExpressions',
  ) => ({
    containers: [],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ [kind]: [requirement] }] },
      },
    },
  });

  it.each<[NodeSelectorRequirement, boolean]>([
    [{ key: 'disk', operator: 'In', values: ['ssd'] }, true],
    [{ key: 'disk', operator: 'In', values: ['hdd'] }, false],
    [{ key: 'constructor', operator: 'Exists' }, false],
    [{ key: 'disk', operator: 'NotIn', values: ['ssd'] }, false],
    [{ key: 'zone', operator: 'NotIn', values: ['x'] }, true],
    [{ key: 'disk', operator: 'Exists' }, true],
    [{ key: 'zone', operator: 'DoesNotExist' }, true],
    [{ key: 'cores', operator: 'Gt', values: ['4'] }, true],
    [{ key: 'cores', operator: 'Lt', values: ['4'] }, false],
    [{ key: 'disk', operator: 'Gt', values: ['4'] }, false],
    [{ key: 'disk', operator: 'Unknown' }, false],
  ])('%j is met: %s', (requirement, expected) => {
    expect(meetsNodeRequirements(requires(requirement), labelled)).toBe(expected);
  });

  it('may be the name', () => {
    const field = { key: 'metadata.name', operator: 'In', values: ['a'] };
    expect(meetsNodeRequirements(requires(field, 'matchFields'), labelled)).toBe(true);
    expect(meetsNodeRequirements(requires(field, 'matchFields'), node('b'))).toBe(false);
  });
});

describe('what a pod tolerates', () => {
  const taint: Taint = { key: 'k', value: 'v', effect: 'NoSchedule' };

  it.each<[Toleration, boolean]>([
    [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }, true],
    [{ key: 'k', value: 'v' }, true],
    [{ key: 'k', operator: 'Exists' }, true],
    [{ operator: 'Exists' }, true],
    [{ key: 'k', value: 'other' }, false],
    [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }, false],
    [{ key: 'other', operator: 'Exists' }, false],
  ])('%j covers the taint: %s', (toleration, expected) => {
    expect(untolerated(node('a', { spec: { taints: [taint] } }), [toleration])).toHaveLength(expected ? 0 : 1);
  });

  it('says nothing about taints that only prefer', () => {
    expect(untolerated(node('a', { spec: { taints: [{ ...taint, effect: 'PreferNoSchedule' }] } }), [])).toEqual([]);
  });

  it('includes a missing network for pods on the host network', () => {
    const keys = tolerationsOf({ containers: [], hostNetwork: true }).map(({ key }) => key);
    expect(keys).toContain('node.kubernetes.io/network-unavailable');
  });
});
