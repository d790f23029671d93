import { describe, expect, it } from 'vitest';
import { aPdb, aPod, ns } from '../../../../../test/support/builders.ts';
import { maxBudgetsPerPod } from '../../../src/core/world/crowding.ts';
import { World } from '../../../src/core/world/world.ts';
import { PodSink } from '../../../src/observe/view/pod-sink.ts';

function aSink() {
  const world = new World();
  const told: string[] = [];
  const seen: (string | undefined)[] = [];
  const sink = new PodSink({
    world,
    touched: {
      budgets: (refs) =>
        void told.push(
          `budgets ${[...refs]
            .map(({ name }) => name)
            .sort()
            .join(' ')}`,
        ),
      namespace: (name) => void told.push(`namespace ${name}`),
    },
    seen: (pod) => void seen.push(pod?.metadata.name),
    advanced: (namespace) => void told.push(`advanced ${namespace ?? '-'} ${world.syncedVersion('pods')}`),
  });
  return { world, sink, told, seen };
}

const web = aPod('web-0').labels({ app: 'web' });

describe('pods that come in', () => {
  it('are told of one by one, and after a list that many may have changed', () => {
    const { sink, seen } = aSink();
    sink.replace([web.build()], '5');
    sink.upsert(web.build(), '6');
    sink.bookmark('7');
    sink.remove(web.build(), '8');
    expect(seen).toEqual([undefined, 'web-0', 'web-0']);
  });

  it('a first list makes the view complete, and only then touches', () => {
    const { world, sink, told } = aSink();
    sink.replace([web.build()], '7');
    expect(world.syncedVersion('pods')).toBe('7');
    expect(told).toEqual(['advanced - 7', `namespace ${ns}`]);
  });

  it('another list takes away what is not in it', () => {
    const { world, sink, told } = aSink();
    sink.replace([web.build(), aPod('old').build()], '7');
    told.length = 0;
    sink.replace([web.build()], '9');
    expect(world.pod(ns, 'old')).toBeUndefined();
    expect(world.pod(ns, 'web-0')).toBeDefined();
    expect(world.syncedVersion('pods')).toBe('9');
  });

  it('a change of labels touches the budget that the pod leaves and the one that it comes under', () => {
    const { world, sink, told } = aSink();
    world.upsertPdb(aPdb('web', { app: 'web' }, { maxUnavailable: 1 }));
    world.upsertPdb(aPdb('api', { app: 'api' }, { maxUnavailable: 1 }));
    sink.upsert(web.build(), '1');
    expect(told).toEqual([`advanced ${ns} 1`, 'budgets web']);
    told.length = 0;
    sink.upsert(web.labels({ app: 'api' }).version('2').build(), '2');
    expect(told).toEqual([`advanced ${ns} 2`, 'budgets api web']);
    told.length = 0;
    sink.remove(web.labels({ app: 'api' }).version('3').build(), '3');
    expect(told).toEqual([`advanced ${ns} 3`, 'budgets api']);
  });

  it('[N7] a pod that comes under more budgets than are counted for it touches all of its namespace', () => {
    const { world, sink, told } = aSink();
    for (let i = 0; i <= maxBudgetsPerPod; i += 1) world.upsertPdb(aPdb(`b${i}`, {}, { minAvailable: 0 }));
    sink.upsert(web.build(), '1');
    expect(told).toEqual([`advanced ${ns} 1`, `namespace ${ns}`]);
    told.length = 0;
    sink.upsert(web.version('2').build(), '2');
    expect(told).toEqual([`advanced ${ns} 2`]);
    told.length = 0;
    sink.remove(web.version('3').build(), '3');
    expect(told).toContain(`namespace ${ns}`);
  });

  it('a pod with a probe is told even without a budget', () => {
    const { sink, told } = aSink();
    sink.upsert(web.annotate({ 'holdfast.dev/disruption-probe': '{"tcpSocket":{"port":1}}' }).build(), '1');
    expect(told).toContain(`namespace ${ns}`);
    told.length = 0;
    sink.upsert(
      web.annotate({ 'holdfast.dev/disruption-probe': '{"tcpSocket":{"port":1}}' }).version('2').build(),
      '2',
    );
    expect(told).toEqual([`advanced ${ns} 2`]);
  });

  it('a bookmark moves the view on, and changes nothing', () => {
    const { world, sink, told } = aSink();
    sink.replace([], '1');
    sink.bookmark('5');
    expect(world.syncedVersion('pods')).toBe('5');
    expect(world.changedVersion('pods')).toBe('1');
    expect(told.at(-1)).toBe('advanced - 5');
  });
});
