import { describe, expect, test } from 'vitest';
import type { PodObject } from '../../../src/controllers/common/workloads.ts';
import { mutateLwsPod, uniqueKey } from '../../../src/controllers/leaderworkerset/pod-mutation.ts';
import { label } from './setup.ts';

const keyed = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [label(name), value]));

function pod(name: string, labels: Record<string, string>, annotations: Record<string, string>): PodObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'ml', labels: keyed({ name: 'llm', ...labels }), annotations: keyed(annotations) },
    spec: { subdomain: 'llm', containers: [{ name: 'main', image: 'app' }] },
  };
}

const leader = (annotations: Record<string, string> = {}) =>
  pod('llm-2', { 'worker-index': '0' }, { size: '5', ...annotations });
const worker = (index: number, annotations: Record<string, string> = {}) =>
  pod(
    `llm-2-${index}`,
    { 'group-index': '2', 'group-key': 'k' },
    { size: '5', 'leader-name': 'llm-2', ...annotations },
  );

function mutated(source: PodObject): PodObject {
  const before = JSON.stringify(source);
  const result = mutateLwsPod(source);
  expect(JSON.stringify(source)).toBe(before);
  if (result.kind === 'refused') throw new Error(result.why);
  return result.pod;
}

describe('a pod of a LeaderWorkerSet', () => {
  test('its unique key is the SHA-1 of namespace and leader', () => {
    expect(uniqueKey('default', 'test-sample-1')).toMatch(/^[0-9a-f]{40}$/);
    expect(mutated(leader()).metadata.labels?.[label('group-key')]).toBe(uniqueKey('ml', 'llm-2'));
  });

  test('labels that are there stay', () => {
    const source = leader();
    source.metadata.labels = { ...source.metadata.labels, ...keyed({ 'group-index': '7', 'group-key': 'mine' }) };
    expect(mutated(source).metadata.labels).toMatchObject(keyed({ 'group-index': '7', 'group-key': 'mine' }));
  });

  test('the variables come first, and replace what the template says', () => {
    const source = worker(3);
    source.spec.initContainers = [{ name: 'init', image: 'app' }];
    source.spec.containers = [
      {
        name: 'main',
        image: 'app',
        env: [
          { name: 'ADDRESS', value: '$(LWS_LEADER_ADDRESS)' },
          { name: 'LWS_GROUP_SIZE', value: '99' },
        ],
      },
    ];
    const { containers, initContainers } = mutated(source).spec;
    expect(containers[0]?.env?.map(({ name, value }) => `${name}=${value}`)).toEqual([
      'LWS_LEADER_ADDRESS=llm-2.llm.ml',
      'LWS_GROUP_SIZE=5',
      'LWS_WORKER_INDEX=3',
      'ADDRESS=$(LWS_LEADER_ADDRESS)',
    ]);
    expect(initContainers?.[0]?.env).toHaveLength(3);
  });

  test.each([
    ['the leader as an extra of the first', '5', '2', ['0', '0', '0', '1', '1']],
    ['the leader as one of the first', '4', '2', ['0', '0', '1', '1']],
  ])('sub groups have %s', (_, size, subgroup, expected) => {
    const annotations = { size, 'subgroup-size': subgroup };
    const members = [leader(annotations), ...expected.slice(1).map((_, index) => worker(index + 1, annotations))];
    const labels = members.map((member) => mutated(member).metadata.labels ?? {});
    expect(labels.map((one) => one[label('subgroup-index')])).toEqual(expected);
    expect(labels.map((one) => one[label('subgroup-key')])).toEqual(expected.map((index) => uniqueKey('llm-2', index)));
  });

  test('a leader can be in no sub group', () => {
    const excluded = leader({ 'subgroup-size': '2', 'subgroup-policy-type': 'LeaderExcluded' });
    expect(mutated(excluded).metadata.labels).not.toHaveProperty([label('subgroup-index')]);
  });

  test('a leader with a domain of its own keeps others out, and is not told twice', () => {
    const placed = mutated(leader({ 'exclusive-topology': 'rack' }));
    const key = uniqueKey('ml', 'llm-2');
    expect(placed.spec.affinity).toEqual({
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            labelSelector: { matchExpressions: [{ key: label('group-key'), operator: 'In', values: [key] }] },
            topologyKey: 'rack',
          },
        ],
      },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            labelSelector: {
              matchExpressions: [
                { key: label('group-key'), operator: 'Exists' },
                { key: label('group-key'), operator: 'NotIn', values: [key] },
              ],
            },
            topologyKey: 'rack',
          },
        ],
      },
    });
    expect(mutated(placed)).toEqual(placed);
  });

  test.each<[string, PodObject, string]>([
    ['no size', pod('llm-0', { 'worker-index': '0' }, {}), 'size annotation is unexpectedly missing for pod llm-0'],
    ['a size that is no number', leader({ size: 'x' }), 'strconv.Atoi: parsing "x": invalid syntax'],
    ['no ordinal', pod('llm', { 'worker-index': '0' }, { size: '2' }), 'parsing pod ordinal for pod llm'],
    [
      'no group',
      pod('llm-0-1', {}, { size: '2' }),
      'Failure constructing environment variables, no group index label found for pod ml/llm-0-1',
    ],
    ['an empty sub group', worker(1, { 'subgroup-size': '0' }), 'strconv.Atoi: parsing "0": invalid syntax'],
  ])('is refused with %s', (_, source, why) => {
    expect(mutateLwsPod(source)).toEqual({ kind: 'refused', why });
  });
});
