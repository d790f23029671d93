import { describe, expect, it } from 'vitest';
import {
  ask,
  know,
  namespace,
  owner,
  type PodParts,
  pdb,
  pdbRef,
  pod,
  pub,
  pubRef,
  reserve,
  worldOf,
} from './builders.ts';
import { type Event, happen, type Moment } from './events.ts';
import { naiveNumbers } from './model.ts';

/** The judge is judged first: small worlds, with the answers worked out by hand. */

const lws = 'leaderworkerset.sigs.k8s.io';

/** Two groups of three: group 0 on nodes A, A and B, group 1 on B, C and C. */
const kepPlaces = [
  ['A', 0],
  ['A', 0],
  ['B', 0],
  ['B', 1],
  ['C', 1],
  ['C', 1],
] as const;

function kepWorld(): Moment {
  const pods = kepPlaces.map(([node, group], index) =>
    pod(`${node}-${index}`, {
      spec: { nodeName: node, workloadReference: { name: 'wl', podGroup: 'w', podGroupReplicaIndex: group } },
    }),
  );
  const workload: Event = {
    kind: 'upsertWorkload',
    workload: {
      metadata: { name: 'wl', namespace },
      spec: { podGroups: [{ name: 'w', replicas: 2, policy: { gang: { minCount: 3 } } }] },
    },
  };
  return worldOf(workload, ...pods, pdb('p', { minAvailable: 1 }));
}

describe('the naive model on the example of the KEP', () => {
  it('counts two groups', () => {
    const { state, now } = kepWorld();
    const numbers = { mode: 'group', available: 2, desired: 1, expected: 2, source: 'workload' };
    expect(naiveNumbers(state, pdbRef('p'), now)).toEqual(numbers);
  });

  it('[N4] stops the drain of node B at the second group', () => {
    const before = kepWorld();
    expect(ask(before, 'B-2')).toMatchObject({ result: 'allow', charges: [{ effect: 'breaks', unitKind: 'group' }] });
    const between = happen(before, reserve('B-2'));
    expect(ask(between, 'B-3').refusals).toEqual([{ code: 'BudgetExhausted', budget: pdbRef('p') }]);
  });

  it('[N4] lets nodes A and C go, one group at a time, and charges a group once', () => {
    const broken = happen(kepWorld(), reserve('A-0'));
    expect(naiveNumbers(broken.state, pdbRef('p'), 0)?.available).toBe(1);
    expect(ask(broken, 'A-1')).toMatchObject({ result: 'allow', charges: [{ effect: 'down' }], complete: 'takeover' });
    expect(ask(broken, 'C-4').result).toBe('deny');
  });

  it('[N1] says of a reserved pod that it is reserved', () => {
    const broken = happen(kepWorld(), reserve('A-0'));
    const verdict = { result: 'allow', reason: 'AlreadyReserved', reserve: false, confirm: true, complete: 'takeover' };
    expect(ask(broken, 'A-0')).toMatchObject(verdict);
  });
});

describe('the naive model on groups', () => {
  const group: Event = {
    kind: 'upsertPodGroup',
    podGroup: {
      apiVersion: 'scheduling.k8s.io/v1beta1',
      metadata: { name: 'g', namespace },
      spec: { schedulingPolicy: { gang: { minCount: 2 } } },
    },
  };
  const member = (name: string, parts: PodParts = {}) =>
    pod(name, { ...parts, spec: { schedulingGroup: { podGroupName: 'g' } } });

  it('[N4] a pod above the minimum is surplus, and the next one is not', () => {
    const moment = worldOf(group, member('g-0'), member('g-1'), member('g-2'), pdb('p', { minAvailable: 1 }));
    expect(ask(moment, 'g-0')).toMatchObject({ result: 'allow', reserve: true, charges: [{ effect: 'surplus' }] });
    expect(ask(happen(moment, reserve('g-0')), 'g-1').refusals).toMatchObject([{ code: 'BudgetExhausted' }]);
  });

  it('[N4] IfHealthyBudget keeps the pods of a group that is down, AlwaysAllow lets them go', () => {
    const events = [group, member('g-0'), member('g-1', { ready: false })];
    const strict = worldOf(...events, pdb('p', { minAvailable: 1 }));
    expect(ask(strict, 'g-1').refusals).toMatchObject([{ code: 'UnhealthyRefused' }]);
    const lenient = worldOf(...events, pdb('p', { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }));
    expect(ask(lenient, 'g-1')).toMatchObject({ result: 'allow', onlyIf: true, restsOn: [] });
    expect(ask(lenient, 'g-0')).toMatchObject({ result: 'allow', onlyIf: false, restsOn: ['g-1'] });
  });

  it('leaves a plain PDB alone, and judges it beside a group', () => {
    const scope = { 'holdfast.dev/budget-scope': 'Pod' };
    const plain = worldOf(member('g-0'), pdb('p', { minAvailable: 1 }, scope));
    expect(ask(plain, 'g-0').reason).toBe('NotProtected');
    const both = worldOf(
      group,
      member('g-0'),
      member('g-1'),
      pdb('p', { minAvailable: 2 }, scope),
      pdb('q', { minAvailable: 0 }),
    );
    expect(ask(both, 'g-0').refusals).toEqual([{ code: 'BudgetExhausted', budget: pdbRef('p') }]);
  });

  it('refuses in explicit scope what has no group', () => {
    const moment = worldOf(pod('solo'), pdb('p', { minAvailable: 0 }, { 'holdfast.dev/budget-scope': 'PodGroup' }));
    expect(ask(moment, 'solo').refusals).toEqual([{ code: 'GroupNotResolved', budget: pdbRef('p') }]);
  });
});

describe('the naive model on an LLM service', () => {
  const set = owner('LeaderWorkerSet', 'llm', 3);
  const leaders = owner('StatefulSet', 'llm', 3, set);
  const shard = (name: string, index: number, parts: PodParts = {}) =>
    pod(name, { owner: leaders, ...parts, labels: { [`${lws}/name`]: 'llm', [`${lws}/group-index`]: String(index) } });
  const pods = [0, 1, 2].flatMap((index) => [0, 1, 2].map((worker) => shard(`llm-${index}-${worker}`, index)));
  const budget = pub('u', {
    maxUnavailable: 1,
    podGroupPolicy: { groupLabelKey: `${lws}/group-index`, minReadyReplicas: 3 },
  });

  it('lets one shard be down at a time', () => {
    const moment = worldOf(...know(set, leaders), ...pods, budget);
    const numbers = { mode: 'pub', available: 3, desired: 2, expected: 3, source: 'scale' };
    expect(naiveNumbers(moment.state, pubRef('u'), 0)).toEqual(numbers);
    const broken = happen(moment, reserve('llm-0-1'));
    expect(ask(broken, 'llm-0-2', 'DELETE')).toMatchObject({
      result: 'allow',
      charges: [{ effect: 'down', unit: '0' }],
    });
    expect(ask(broken, 'llm-1-0', 'DELETE').refusals).toEqual([{ code: 'BudgetExhausted', budget: pubRef('u') }]);
  });

  it('counts a missing shard as down', () => {
    const moment = worldOf(...know(set, leaders), ...pods.slice(3), budget);
    expect(naiveNumbers(moment.state, pubRef('u'), 0)).toMatchObject({ available: 2, desired: 2, expected: 3 });
    expect(ask(moment, 'llm-1-0').result).toBe('deny');
  });

  it('does not shrink with the groups that it lets go where no owner says how many there should be', () => {
    const db = owner('StatefulSet', 'db', 2);
    const one = (name: string, parts: PodParts = {}) => pod(name, { owner: db, ...parts, labels: { shard: name } });
    const groups = pub('u', { maxUnavailable: 1, podGroupPolicy: { groupLabelKey: 'shard' } });
    const moment = worldOf(...know(db), one('db-0', { leaving: true }), one('db-1'), groups);
    expect(naiveNumbers(moment.state, pubRef('u'), 0)).toMatchObject({ available: 1, desired: 1, expected: 2 });
    expect(ask(moment, 'db-1', 'DELETE').result).toBe('deny');
  });

  it('is doomed when the set is scaled to 0', () => {
    const moment = worldOf(...know(owner('LeaderWorkerSet', 'llm', 0), leaders), ...pods, budget);
    expect(ask(moment, 'llm-0-0')).toMatchObject({ result: 'allow', reason: 'WorkloadGone', reserve: false });
  });
});

describe('the naive model on owners that are gone', () => {
  const db = owner('StatefulSet', 'db', 2);
  const lookUp: Event = { kind: 'setOwnerGone', owner: db };
  const budget = pub('u', { maxUnavailable: 1 });

  it('[O1] forgets with the last pod that its owner is gone, and knows it again after another look-up', () => {
    const before = worldOf(pod('db-0', { owner: db }), budget, lookUp);
    expect(ask(before, 'db-0').reason).toBe('WorkloadGone');
    const deleted = happen(before, { kind: 'deleteNth', nth: 0 });
    const again = happen(deleted, pod('db-0', { owner: db }));
    expect(ask(again, 'db-0').result).toBe('deny');
    expect(ask(happen(again, lookUp), 'db-0').reason).toBe('WorkloadGone');
  });
});

describe('the naive model on probes', () => {
  const annotations = { 'holdfast.dev/disruption-probe': '{"tcpSocket":{"port":80}}' };
  const web = owner('StatefulSet', 'web', 2);
  const probed = (name: string, parts: PodParts = {}) => pod(name, { owner: web, annotations, ...parts });

  it('[N2] a pod whose probe has no answer is down and cannot be evicted', () => {
    const moment = worldOf(...know(web), probed('web-0'), probed('web-1'), pdb('p', { maxUnavailable: 1 }));
    const numbers = { mode: 'perPod', available: 0, desired: 1, expected: 2, source: 'scale' };
    expect(naiveNumbers(moment.state, pdbRef('p'), 0)).toEqual(numbers);
    expect(ask(moment, 'web-0').refusals).toMatchObject([{ code: 'ProbeVeto' }, { code: 'UnhealthyRefused' }]);
  });

  it('the way out needs a pod that is not Ready and a budget that always allows', () => {
    const lenient = pdb('p', { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    const moment = worldOf(...know(web), probed('web-0', { ready: false }), probed('web-1'), lenient);
    expect(ask(moment, 'web-0').result).toBe('allow');
    expect(ask(moment, 'web-1').refusals).toEqual([{ code: 'ProbeVeto' }]);
  });

  it('without a controller it is unknown how many pods there should be', () => {
    const moment = worldOf(pod('solo', { annotations }), pdb('p', { maxUnavailable: 1 }));
    expect(ask(moment, 'solo').refusals).toMatchObject([{ code: 'ProbeVeto' }, { code: 'ExpectedUnknown' }]);
  });
});
