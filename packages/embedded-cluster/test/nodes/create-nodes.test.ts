import { expect, it } from 'vitest';
import { createNodes } from '../../src/nodes/create-nodes.ts';

it('nodes are in the zones in turn and have addresses of their own', () => {
  const nodes = createNodes(300);
  expect(
    nodes.slice(0, 4).map(({ metadata }) => [metadata.name, metadata.labels?.['topology.kubernetes.io/zone']]),
  ).toEqual([
    ['node-1', 'zone-a'],
    ['node-2', 'zone-b'],
    ['node-3', 'zone-c'],
    ['node-4', 'zone-a'],
  ]);
  const addresses = nodes.map(({ status }) => (status as { addresses: { address: string }[] }).addresses[0]?.address);
  expect(new Set(addresses).size).toBe(300);
  expect([addresses[0], addresses[254]]).toEqual(['127.1.0.1', '127.1.1.1']);
});

it('with a time they are ready since then', () => {
  const [node] = createNodes(1, ['here'], Date.UTC(2026, 0, 1));
  expect(node?.['status']).toMatchObject({
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }),
    ]),
    capacity: { cpu: '8', memory: '32Gi', pods: '110' },
    nodeInfo: { kubeletVersion: 'v1.37.1', containerRuntimeVersion: 'holdfast-sim://1' },
  });
  expect(createNodes(1)[0]?.['status']).not.toHaveProperty('conditions');
  expect(createNodes(1, [])[0]?.metadata.labels).not.toHaveProperty('topology.kubernetes.io/zone');
});
