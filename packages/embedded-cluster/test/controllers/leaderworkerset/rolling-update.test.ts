import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isReady, isTerminating } from '../../../src/controllers/common/pods.ts';
import type { LwsSpec, RollingUpdateConfiguration } from '../../../src/controllers/leaderworkerset/lws-object.ts';
import { label, Setup, template } from './setup.ts';

let setup: Setup;
beforeEach(async () => {
  setup = new Setup();
  await setup.start();
});
afterEach(() => setup.stop());

const rolling = (rollingUpdateConfiguration: RollingUpdateConfiguration) => ({
  type: 'RollingUpdate',
  rollingUpdateConfiguration,
});

const size = 2;
const leaderWorkerTemplate = { size, workerTemplate: template('app:1') };

const toSecondVersion = (spec: LwsSpec): void => {
  spec.leaderWorkerTemplate = { ...spec.leaderWorkerTemplate, workerTemplate: template('app:2') };
};

/** Groups that count as up: the leader is ready, and its workers are all there. */
function groupsUp(): number {
  const pods = setup.pods().filter((pod) => !isTerminating(pod));
  const leaders = pods.filter((pod) => pod.metadata.labels?.[label('worker-index')] === '0' && isReady(pod));
  return leaders.filter(({ metadata }) => {
    const workers = pods.filter((pod) => pod.metadata.annotations?.[label('leader-name')] === metadata.name);
    return workers.length === size - 1;
  }).length;
}

describe('a new template', () => {
  test.each<[string, RollingUpdateConfiguration, { fewest: number; most: number }]>([
    ['one group at a time', { maxUnavailable: 1 }, { fewest: 3, most: 4 }],
    ['two groups at a time', { maxUnavailable: 2 }, { fewest: 2, most: 4 }],
    ['half of the groups at a time', { maxUnavailable: '50%' }, { fewest: 2, most: 4 }],
    // The last group of the surge goes at the same moment as the last old group, so that one is down all the same.
    ['as few as possible, with one group more', { maxUnavailable: 0, maxSurge: 1 }, { fewest: 3, most: 5 }],
    ['one down, with two groups more', { maxUnavailable: 1, maxSurge: 2 }, { fewest: 3, most: 6 }],
  ])('reaches all groups: %s', async (_, configuration, { fewest, most }) => {
    await setup.create({ leaderWorkerTemplate, replicas: 4, rolloutStrategy: rolling(configuration) });
    await setup.run();
    await setup.edit(toSecondVersion);
    let lowest = 4;
    let highest = 0;
    await setup.run(() => {
      lowest = Math.min(lowest, groupsUp());
      highest = Math.max(highest, setup.set('llm')?.spec.replicas ?? 0);
    });
    expect(setup.images()).toEqual(new Set(['app:2']));
    expect(setup.pods()).toHaveLength(8);
    expect(setup.lws.status).toMatchObject({ replicas: 4, readyReplicas: 4, updatedReplicas: 4 });
    expect(setup.truths).toEqual(['Available']);
    expect(lowest).toBe(fewest);
    expect(highest).toBe(most);
    expect(setup.errors).toEqual([]);
  });

  test('goes from the last group to the first, and says so on the way', async () => {
    await setup.create({ leaderWorkerTemplate });
    await setup.run();
    await setup.edit(toSecondVersion);
    const order: string[] = [];
    const said = new Set<string>();
    await setup.run(() => {
      for (const type of setup.truths) said.add(type);
      for (const { metadata, spec } of setup.pods()) {
        const updated = spec.containers[0]?.image === 'app:2';
        if (updated && /^llm-\d+$/.test(metadata.name) && !order.includes(metadata.name)) order.push(metadata.name);
      }
    });
    expect(order).toEqual(['llm-2', 'llm-1', 'llm-0']);
    expect(said).toContain('UpdateInProgress');
    expect(setup.lws.status?.conditions?.map(({ type, status }) => `${type}=${status}`).sort()).toEqual([
      'Available=True',
      'Progressing=False',
      'UpdateInProgress=False',
    ]);
    expect(setup.events()).toContain('GroupsUpdating: Updating replicas 3 to 2');
  });

  test('leaves only its own revision behind', async () => {
    await setup.create({ leaderWorkerTemplate, replicas: 1 });
    await setup.run();
    await setup.edit(toSecondVersion);
    await setup.run();
    const owned = setup.plane.view.controlledBy('apps/controllerrevisions', setup.lws.metadata.uid ?? '');
    expect(owned.map(({ metadata }) => metadata.labels?.[label('template-revision-hash')])).toEqual([
      setup.set('llm')?.metadata.labels?.[label('template-revision-hash')],
    ]);
  });

  test('stops at the partition', async () => {
    await setup.create({ leaderWorkerTemplate, rolloutStrategy: rolling({ maxUnavailable: 1, partition: 2 }) });
    await setup.run();
    const kept = [...setup.uids('llm-0'), ...setup.uids('llm-1')];
    await setup.edit(toSecondVersion);
    await setup.run();
    expect([...setup.uids('llm-0'), ...setup.uids('llm-1')]).toEqual(kept);
    expect(setup.pod('llm-2-1').spec.containers[0]?.image).toBe('app:2');
    expect(setup.lws.status?.updatedReplicas).toBe(1);
    expect(setup.truths).toEqual(['Available']);
  });

  test('below the partition a group that is recreated gets the workers it had', async () => {
    await setup.create({
      leaderWorkerTemplate,
      replicas: 2,
      rolloutStrategy: rolling({ maxUnavailable: 1, partition: 1 }),
    });
    await setup.run();
    await setup.edit(toSecondVersion);
    await setup.run();
    await setup.restartContainer('llm-0-1');
    await setup.run();
    const imageOf = (name: string) => setup.pod(name).spec.containers[0]?.image;
    expect(['llm-0', 'llm-0-1', 'llm-1', 'llm-1-1'].map(imageOf)).toEqual(['app:1', 'app:1', 'app:2', 'app:2']);
  });

  test('waits while the first new group does not come up', async () => {
    await setup.create({ leaderWorkerTemplate });
    await setup.run();
    setup.broken.add('llm-2');
    await setup.edit(toSecondVersion);
    await setup.run();
    expect(setup.images()).toEqual(new Set(['app:1', 'app:2']));
    expect(setup.pod('llm-1').spec.containers[0]?.image).toBe('app:1');
    expect(setup.truths.sort()).toEqual(['Progressing', 'UpdateInProgress']);
    setup.broken.clear();
    await setup.run();
    expect(setup.images()).toEqual(new Set(['app:2']));
    expect(setup.truths).toEqual(['Available']);
  });
});
