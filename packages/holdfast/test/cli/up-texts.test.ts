import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../embedded-cluster/src/store/memory-store.ts';
import { createView } from '../../../embedded-cluster/src/view.ts';
import { upProgressOn } from '../../src/cli/up/up-progress.ts';
import { isUp, type RunningWorkload, workloadsIn, workloadTable } from '../../src/cli/up/up-workloads.ts';

function recorded(isTTY: boolean) {
  const written: string[] = [];
  return { written, output: { isTTY, write: (text: string) => written.push(text) } };
}

it('shows progress in one line on a terminal', () => {
  const { written, output } = recorded(true);
  const progress = upProgressOn(output);
  progress.step('one');
  progress.step('two');
  progress.end();
  expect(written.join('')).toBe('\r\u001b[2Kone\r\u001b[2Ktwo\r\u001b[2K');
});

it('shows progress line by line elsewhere, and each step once', () => {
  const { written, output } = recorded(false);
  const progress = upProgressOn(output);
  for (const step of ['one', 'one', 'two']) progress.step(step);
  progress.end();
  expect(written.join('')).toBe('one\ntwo\n');
});

it('lists workloads by what they count, and not those that belong to others', () => {
  const store = createMemoryStore();
  const put = (resource: string, apiVersion: string, kind: string, name: string, fields: object) =>
    store.create(resource, `shop/${name}`, { apiVersion, kind, metadata: { name, namespace: 'shop' }, ...fields });
  put('apps/deployments', 'apps/v1', 'Deployment', 'web', { spec: { replicas: 3 }, status: { readyReplicas: 2 } });
  put('apps/daemonsets', 'apps/v1', 'DaemonSet', 'log', { status: { desiredNumberScheduled: 6, numberReady: 6 } });
  put('leaderworkerset.x-k8s.io/leaderworkersets', 'leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'llm', {});
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'llm-0', uid: '1', controller: true };
  store.create('apps/statefulsets', 'shop/llm-0', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'llm-0', namespace: 'shop', ownerReferences: [owner] },
  });
  const workloads = workloadsIn(createView(store));
  expect(workloadTable(workloads)).toBe(
    [
      'NAMESPACE   KIND              NAME   READY',
      'shop        LeaderWorkerSet   llm    0/1 groups',
      'shop        Deployment        web    2/3',
      'shop        DaemonSet         log    6/6',
    ].join('\n'),
  );
  expect(workloads.map(isUp)).toEqual([false, false, true]);
});

it('says how many workloads it does not show', () => {
  const many = Array.from({ length: 25 }, (_, index): RunningWorkload => {
    return { namespace: 'shop', kind: 'Deployment', name: `web-${index}`, ready: 1, wanted: 1 };
  });
  const lines = workloadTable(many).split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([22, '... and 5 more']);
});
