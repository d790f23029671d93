import { describe, expect, it } from 'vitest';
import { ask, aWorld, inShort } from '../../../../test/support/a-world.ts';
import type { PodBuilder } from '../../../../test/support/builders.ts';
import { aGroupPdb, anOwner, aPod, ns } from '../../../../test/support/builders.ts';
import { deploymentAndSet, lwsPods, podsOf, pubFor, reserveIn } from '../../../../test/support/fleet.ts';
import { table } from '../../../../test/support/table.ts';
import { label } from '../../src/api/names.ts';
import { type DisruptionRequest, type Operation, type Requester, requesterOf } from '../../src/core/request.ts';
import type { World } from '../../src/core/world/world.ts';

/** A budget that lets nothing go: whatever passes here is exempt. */
const strict = pubFor('web', { minAvailable: 9, protectOperations: ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'] });
const everything: readonly Operation[] = ['EVICT', 'DELETE', 'UPDATE', 'RESIZE'];
const web = aPod('web').labels({ app: 'web' });

function strictWorld(pod: PodBuilder): World {
  return aWorld({ pods: [pod], pubs: [strict] });
}

describe('what is voluntary', () => {
  it('[I7] a serving pod is judged, whatever is done to it', () => {
    for (const operation of everything)
      expect(inShort(ask(strictWorld(web), operation, 'web'))).toBe('deny BudgetExhausted');
  });

  it('[I7] a pod of a budget that is gone passes', () => {
    const world = strictWorld(web);
    world.deletePub(ns, 'web');
    for (const operation of everything) expect(inShort(ask(world, operation, 'web'))).toBe('allow NotProtected');
  });

  it('[I7] what passes is not reserved', () => {
    const verdicts = [web.terminating(), web.phase('Failed')].map((pod) => ask(strictWorld(pod), 'EVICT', 'web'));
    for (const verdict of verdicts) expect(verdict).not.toHaveProperty('effects.reserve');
  });
});

describe('pods with nothing to lose', () => {
  table<{ name: string; pod: PodBuilder; want: string }>(
    [
      { name: 'terminating', pod: web.terminating(), want: 'allow Terminating' },
      { name: 'succeeded', pod: web.phase('Succeeded'), want: 'allow Finished' },
      { name: 'failed', pod: web.phase('Failed'), want: 'allow Finished' },
      { name: 'pending', pod: web.phase('Pending').notReady(), want: 'allow Pending' },
      { name: 'pending, with a probe that says no', pod: web.phase('Pending').probed('False'), want: 'allow Pending' },
      {
        name: 'terminating, with a probe that says no',
        pod: web.probed('False').terminating(),
        want: 'allow Terminating',
      },
      { name: 'of an unknown phase: judged, and reserved', pod: web.phase('Unknown'), want: 'allow WithinBudget' },
      { name: 'running and not ready: judged, and reserved', pod: web.notReady(), want: 'allow WithinBudget' },
    ].map((row) => ({ ...row, name: `[X1] ${row.name}` })),
    ({ pod, want }) => {
      for (const operation of everything) expect(inShort(ask(strictWorld(pod), operation, 'web'))).toBe(want);
    },
  );

  it('[X1] a pending pod passes only in the version that was seen', () => {
    expect(ask(strictWorld(web.phase('Pending').version('41')), 'EVICT', 'web')).toMatchObject({
      result: 'allow',
      effects: { onlyIf: { uid: 'uid-web', resourceVersion: '41' } },
    });
  });

  it('[X1] [N5] a pending pod that a budget covers is reserved: it may come up before it goes', () => {
    for (const operation of everything) {
      expect(ask(strictWorld(web.phase('Pending').notReady()), operation, 'web')).toMatchObject({
        reason: 'Pending',
        charges: [],
        effects: { reserve: { operation, uid: 'uid-web' } },
      });
    }
    const dry = ask(strictWorld(web.phase('Pending')), 'EVICT', 'web', { dryRun: true });
    expect(dry).toMatchObject({ reason: 'Pending' });
    expect(dry).not.toHaveProperty('effects.reserve');
  });

  it('[X1] [P9] a pending pod without a node is left to the API server, which deletes it at once and answers with success', () => {
    const pdbs = [aGroupPdb('web', { app: 'web' }, { minAvailable: 1 }, 'shard')];
    const grouped = web.labels({ shard: '0' }).phase('Pending');
    const complete = (pod: PodBuilder) => {
      const verdict = ask(aWorld({ pods: [pod], pdbs }), 'EVICT', 'web');
      return verdict.result === 'allow' ? verdict.effects : undefined;
    };
    expect(complete(grouped)).toMatchObject({ complete: 'takeover' });
    expect(complete(grouped.unscheduled())).toMatchObject({
      complete: 'pass',
      reserve: { uid: 'uid-web' },
      onlyIf: {},
    });
  });

  it('[X1] a pending pod that no budget covers passes in any version, unless it has a probe', () => {
    const bare = (pod: PodBuilder) => ask(aWorld({ pods: [pod] }), 'EVICT', 'web');
    expect(bare(web.phase('Pending'))).toEqual({
      result: 'allow',
      reason: 'Pending',
      charges: [],
      effects: { complete: 'pass' },
    });
    expect(bare(web.phase('Pending').probed('False').version('41'))).toMatchObject({
      reason: 'Pending',
      effects: { onlyIf: { resourceVersion: '41' } },
    });
  });

  it('[X1] a terminating pod passes in any version', () => {
    expect(ask(strictWorld(web.terminating()), 'EVICT', 'web')).not.toHaveProperty('effects.onlyIf');
  });
});

describe('who asks', () => {
  const kubelet: Requester = { kind: 'kubelet', node: 'node-1' };
  const collector: Requester = { kind: 'garbageCollector' };
  const podCollector: Requester = { kind: 'podGarbageCollector' };
  const scheduler: Requester = { kind: 'scheduler' };
  const rows: readonly { name: string; requester: Requester; operation: Operation; want: string }[] = [
    { name: 'the kubelet of its node deletes', requester: kubelet, operation: 'DELETE', want: 'allow KubeletDelete' },
    {
      name: 'the garbage collector deletes',
      requester: collector,
      operation: 'DELETE',
      want: 'allow GarbageCollection',
    },
    {
      name: 'the pod garbage collector deletes',
      requester: podCollector,
      operation: 'DELETE',
      want: 'allow GarbageCollection',
    },
    {
      name: 'the kubelet of another node deletes',
      requester: { kind: 'kubelet', node: 'node-2' },
      operation: 'DELETE',
      want: 'deny BudgetExhausted',
    },
    { name: 'the scheduler preempts', requester: scheduler, operation: 'DELETE', want: 'allow Preemption' },
    {
      name: 'a controller of workloads deletes',
      requester: { kind: 'workloadController' },
      operation: 'DELETE',
      want: 'deny BudgetExhausted',
    },
    { name: 'another user deletes', requester: { kind: 'other' }, operation: 'DELETE', want: 'deny BudgetExhausted' },
    ...[kubelet, collector, podCollector, scheduler].flatMap((requester) =>
      (['EVICT', 'UPDATE', 'RESIZE'] as const).map((operation) => ({
        name: `${requester.kind} does not delete: ${operation}`,
        requester,
        operation,
        want: 'deny BudgetExhausted',
      })),
    ),
  ];
  table(
    rows.map((row) => ({ ...row, name: `[X2] ${row.name}` })),
    ({ requester, operation, want }) => {
      expect(inShort(ask(strictWorld(web), operation, 'web', { requester }))).toBe(want);
    },
  );

  it('[X2] a pod without a node has no kubelet', () => {
    const world = strictWorld(aPod('web').labels({ app: 'web' }).on(''));
    expect(inShort(ask(world, 'DELETE', 'web', { requester: kubelet }))).toBe('deny BudgetExhausted');
  });

  table<{ name: string; more: Partial<DisruptionRequest>; pod: string }>(
    [
      { name: 'a pod that is not in the view', pod: 'web-of-yesterday', more: {} },
      { name: 'a pod of another uid than the one in view', pod: 'web', more: { uid: 'uid-of-yesterday' } },
    ].map((row) => ({ ...row, name: `[X2] a collector may delete ${row.name}` })),
    ({ pod, more }) => {
      for (const requester of [collector, podCollector]) {
        const verdict = ask(strictWorld(web), 'DELETE', pod, { ...more, requester });
        expect(inShort(verdict)).toBe('allow GarbageCollection');
      }
    },
  );

  it('[X2] the garbage collector takes owner references off; another user who does is judged', () => {
    const set = anOwner('StatefulSet', 'web', 1);
    const release = (requester: Requester): string => {
      const world = aWorld({ pods: [web.ownedBy(set)], owners: [set], pubs: [pubFor('web', { maxUnavailable: 0 })] });
      const after = web.unowned().build();
      return inShort(ask(world, 'UPDATE', 'web', { requester, takesAway: false, referencesChange: true, after }));
    };
    expect(release(collector)).toBe('allow GarbageCollection');
    expect(release({ kind: 'workloadController' })).toBe('allow NotProtected');
    expect([release(podCollector), release(scheduler), release({ kind: 'other' })]).toEqual(
      Array.from({ length: 3 }, () => 'deny BudgetExhausted'),
    );
  });

  const account = 'system:serviceaccount:kube-system:';
  table<{ name: string; user: string; groups: readonly string[]; want: Requester }>(
    [
      {
        name: 'a kubelet',
        user: 'system:node:n1',
        groups: ['system:nodes'],
        want: { kind: 'kubelet', node: 'n1' } as const,
      },
      { name: 'a node name without the group', user: 'system:node:n1', groups: [], want: { kind: 'other' } as const },
      { name: 'the group without the name', user: 'n1', groups: ['system:nodes'], want: { kind: 'other' } as const },
      {
        name: 'the garbage collector',
        user: `${account}generic-garbage-collector`,
        groups: [],
        want: { kind: 'garbageCollector' } as const,
      },
      {
        name: 'the pod garbage collector',
        user: `${account}pod-garbage-collector`,
        groups: [],
        want: { kind: 'podGarbageCollector' } as const,
      },
      {
        name: 'the scheduler',
        user: 'system:kube-scheduler',
        groups: ['system:authenticated'],
        want: { kind: 'scheduler' } as const,
      },
      {
        name: 'the controller of ReplicaSets',
        user: `${account}replicaset-controller`,
        groups: [],
        want: { kind: 'workloadController' } as const,
      },
      {
        name: 'controllers that share one name',
        user: 'system:kube-controller-manager',
        groups: [],
        want: { kind: 'workloadController' } as const,
      },
      { name: 'a name that every object has', user: 'toString', groups: [], want: { kind: 'other' } as const },
      {
        name: 'its name in another namespace',
        user: 'system:serviceaccount:shop:pod-garbage-collector',
        groups: ['system:masters'],
        want: { kind: 'other' } as const,
      },
    ].map((row) => ({ ...row, name: `[X2] is read from the user: ${row.name}` })),
    ({ user, groups, want }) => expect(requesterOf(user, groups)).toEqual(want),
  );
});

describe('namespaces', () => {
  const disabled = { metadata: { name: ns, labels: { [label.guard]: 'disabled' } } };
  const terminating = { metadata: { name: ns, deletionTimestamp: '2026-01-01T00:00:00Z' } };

  it('[X3] everything passes in a namespace that is being deleted', () => {
    for (const namespace of [terminating, { metadata: { name: ns }, status: { phase: 'Terminating' } }]) {
      const world = strictWorld(web);
      world.setNamespace(namespace);
      for (const operation of everything) {
        expect(inShort(ask(world, operation, 'web'))).toBe('allow NamespaceTerminating');
        expect(inShort(ask(world, operation, 'not-in-view'))).toBe('allow NamespaceTerminating');
      }
    }
  });

  it('[X3] everything passes in a namespace that is gone', () => {
    const world = strictWorld(web);
    world.deleteNamespace(ns);
    expect(inShort(ask(world, 'DELETE', 'web'))).toBe('allow NamespaceTerminating');
  });

  it('[X3] everything passes where the guard label says disabled, until it no longer does', () => {
    const world = strictWorld(web.probed('False'));
    world.setNamespace(disabled);
    for (const operation of everything) expect(inShort(ask(world, operation, 'web'))).toBe('allow NamespaceUnguarded');
    world.setNamespace({ metadata: { name: ns, labels: { [label.guard]: 'enabled' } } });
    expect(inShort(ask(world, 'EVICT', 'web'))).toBe('deny ProbeVeto');
  });

  it('[X3] a pod that is not in view also passes where the guard label says disabled', () => {
    const world = strictWorld(web);
    world.setNamespace(disabled);
    for (const operation of everything)
      expect(inShort(ask(world, operation, 'not-in-view'))).toBe('allow NamespaceUnguarded');
  });

  it('[X3] other namespaces are judged all the same', () => {
    const world = strictWorld(web);
    world.setNamespace({ ...disabled, metadata: { ...disabled.metadata, name: 'elsewhere' } });
    expect(inShort(ask(world, 'EVICT', 'web'))).toBe('deny BudgetExhausted');
  });
});

describe('doomed pods', () => {
  it('[X4] a pod whose owner is gone passes', () => {
    const job = anOwner('Job', 'web');
    const world = strictWorld(web.ownedBy(job));
    world.setOwnerGone(job);
    for (const operation of everything) expect(inShort(ask(world, operation, 'web'))).toBe('allow WorkloadGone');
  });

  it('[X4] a pod whose workload is scaled to 0 is not counted for the others', () => {
    const { owners, replicaSet } = deploymentAndSet('web', 0);
    const other = aPod('other').labels({ app: 'web' });
    const world = aWorld({
      pods: [...podsOf('web', 2, replicaSet), other],
      owners,
      pubs: [pubFor('web', { minAvailable: 1 })],
    });
    expect(inShort(ask(world, 'EVICT', 'web-0'))).toBe('allow WorkloadGone');
    expect(inShort(ask(world, 'EVICT', 'other'))).toBe('deny BudgetExhausted');
    world.setOwner(anOwner('Deployment', 'web', 2));
    expect(inShort(ask(world, 'EVICT', 'other'))).toBe('allow WithinBudget');
    reserveIn(world, 'other', 'web-0');
    expect(inShort(ask(world, 'EVICT', 'web-1'))).toBe('deny BudgetExhausted');
  });

  it('[X4] a worker goes with the leader pod that owns it', () => {
    const leader = aPod('llm-0').labels({ app: 'web' });
    const ref = { apiVersion: 'v1', kind: 'Pod', name: 'llm-0', uid: 'uid-llm-0', controller: true };
    const workers = anOwner('StatefulSet', 'llm-0', 2, { controller: ref });
    const world = aWorld({ pods: [leader, web.ownedBy(workers)], owners: [workers], pubs: [strict] });
    expect(inShort(ask(world, 'DELETE', 'web'))).toBe('deny BudgetExhausted');
    world.upsertPod(leader.terminating().build());
    expect(inShort(ask(world, 'DELETE', 'web'))).toBe('allow WorkloadGone');
  });

  it('[X4] the groups of a LeaderWorkerSet that is scaled to 0 pass', () => {
    const world = aWorld({ pods: lwsPods('llm', 2, 2), pubs: [pubFor('llm', { minAvailable: 4 })] });
    world.setOwner(anOwner('LeaderWorkerSet', 'llm', 2));
    expect(inShort(ask(world, 'DELETE', 'llm-0-0'))).toBe('deny BudgetExhausted');
    world.setOwner(anOwner('LeaderWorkerSet', 'llm', 0));
    expect(inShort(ask(world, 'DELETE', 'llm-0-0'))).toBe('allow WorkloadGone');
  });
});
