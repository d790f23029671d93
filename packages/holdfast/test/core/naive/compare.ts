import { isDeepStrictEqual } from 'node:util';
import type { OwnerReference } from '../../../../base/src/meta.ts';
import { type GroupSize, ledgerName, type Reservation } from '../../../src/api/ledger.ts';
import type { Pod } from '../../../src/api/pod.ts';
import { protectOperations } from '../../../src/api/pub/pub.ts';
import { budgetNumbers } from '../../../src/core/budget/numbers.ts';
import { decide } from '../../../src/core/decide/decide.ts';
import { digestsOf, panelFor } from '../../../src/core/decide/judges.ts';
import type { DisruptionRequest } from '../../../src/core/request.ts';
import { collections } from '../../../src/core/sync.ts';
import type { BudgetRef, Verdict } from '../../../src/core/verdict.ts';
import { World } from '../../../src/core/world/world.ts';
import { namespaces } from './arbitraries.ts';
import { referenceTo } from './domain.ts';
import { type Event, leaseAt, type Moment, nthPod } from './events.ts';
import type { Manner, Reowning } from './manners.ts';
import { type NaiveVerdict, naiveDecide, naiveNumbers, noEffects } from './model.ts';
import { pdbRef } from './pdb.ts';
import { pubRef } from './pub.ts';
import type { NaiveCharge } from './rule.ts';
import { namespaceOf } from './state.ts';

/** A world that has seen every collection, and every ledger, at a version that is new enough. */
export function newWorld(): World {
  const world = new World();
  for (const collection of collections) world.setSynced(collection, '1000');
  for (const namespace of namespaces) {
    world.setLedger(namespace, { metadata: { name: ledgerName, namespace }, spec: { watermark: '1000' } });
  }
  return world;
}

/** The engine's side of an event; `after` is the naive side, which knows the whole ledger. */
export function tell(world: World, event: Exclude<Event, { kind: 'restart' }>, before: Moment, after: Moment): void {
  switch (event.kind) {
    case 'reserve':
    case 'reserveNth':
    case 'releaseNth':
      tellReservations(world, before, after);
      break;
    case 'keepSize':
      tellSize(world, before, event);
      break;
    case 'dropSizes':
      tellSizes(world, event.namespace, []);
      break;
    case 'deleteNth': {
      const pod = nthPod(before.state, event.nth);
      if (pod !== undefined) world.deletePod(namespaceOf(pod), pod.metadata.name);
      break;
    }
    case 'setProbeLease':
      world.setProbeLease(event.node, leaseAt(after.now, event));
      break;
    case 'advance':
      break;
    default:
      pass(world, event);
  }
  // What a replica does that does not know a ledger: it reads it.
  for (const namespace of namespaces) {
    if (world.namespace(namespace)?.ledger !== undefined) continue;
    const reservations = after.state.reservations.get(namespace) ?? [];
    const metadata = { name: ledgerName, namespace };
    if (world.namespace(namespace) !== undefined)
      world.setLedger(namespace, { metadata, spec: { reservations, watermark: '1000' } });
  }
}

/** Both sides reserve; what a reservation was judged by, each finds out for itself (I14). */
function tellReservations(world: World, before: Moment, after: Moment): void {
  for (const [namespace, list] of after.state.reservations) {
    const metadata = { name: ledgerName, namespace };
    const old = before.state.reservations.get(namespace) ?? [];
    const reservations = list.map(({ budgets: _, ...one }) => {
      const known = world.namespace(namespace)?.reservations.get(one.uid);
      const isNew = known === undefined || !old.some((other) => other.uid === one.uid && list.includes(other));
      const judgedBy = isNew ? judgesNow(world, namespace, one) : known.judgedBy;
      return judgedBy === undefined ? one : { ...one, judgedBy };
    });
    world.setLedger(namespace, {
      metadata,
      spec: { reservations, sizes: sizesIn(world, namespace), watermark: '1000' },
    });
  }
}

function sizesIn(world: World, namespace: string): readonly GroupSize[] {
  return world.namespace(namespace)?.ledger?.spec?.sizes ?? [];
}

/** The ledger names a group by the engine's own key. */
function tellSize(world: World, { state }: Moment, event: Extract<Event, { kind: 'keepSize' }>): void {
  const { nth, by, size } = event;
  const pod = nthPod(state, nth);
  const namespace = pod === undefined ? '' : namespaceOf(pod);
  const groups = world.namespace(namespace)?.pods.get(pod?.metadata.name ?? '')?.groups ?? [];
  const group =
    by === 'convention'
      ? groups.find((one) => one.labelKey === undefined && one.isGang)
      : groups.find((one) => one.labelKey === by.label);
  if (group === undefined) return;
  const others = sizesIn(world, namespace).filter((one) => one.group !== group.key);
  tellSizes(world, namespace, [...others, { group: group.key, unit: group.display, size }]);
}

function tellSizes(world: World, namespace: string, sizes: readonly GroupSize[]): void {
  const ledger = world.namespace(namespace)?.ledger;
  if (ledger !== undefined) world.setLedger(namespace, { ...ledger, spec: { ...ledger.spec, sizes } });
}

function judgesNow(world: World, namespace: string, { pod, operation }: Reservation): readonly string[] | undefined {
  const state = world.namespace(namespace);
  const record = state?.pods.get(pod);
  if (state === undefined || record === undefined) return undefined;
  return digestsOf(panelFor(state, record, { operation, namespace, pod }).judges);
}

type Simple = Exclude<
  Event,
  {
    kind:
      | 'reserve'
      | 'reserveNth'
      | 'releaseNth'
      | 'keepSize'
      | 'dropSizes'
      | 'restart'
      | 'setProbeLease'
      | 'advance'
      | 'deleteNth';
  }
>;

/** What the engine is told word for word. */
function pass(world: World, event: Simple): void {
  const ways: { [K in Simple['kind']]: (event: Extract<Simple, { kind: K }>) => void } = {
    upsertPod: ({ pod }) => world.upsertPod(pod),
    upsertPdb: ({ pdb }) => world.upsertPdb(pdb),
    deletePdb: ({ namespace, name }) => world.deletePdb(namespace, name),
    upsertPub: ({ pub }) => world.upsertPub(pub),
    deletePub: ({ namespace, name }) => world.deletePub(namespace, name),
    upsertWorkload: ({ workload }) => world.upsertWorkload(workload),
    deleteWorkload: ({ namespace, name }) => world.deleteWorkload(namespace, name),
    upsertPodGroup: ({ podGroup }) => world.upsertPodGroup(podGroup),
    deletePodGroup: ({ apiVersion, namespace, name }) => world.deletePodGroup(apiVersion, namespace, name),
    setOwner: ({ owner }) => world.setOwner(owner),
    setOwnerGone: ({ owner }) => world.setOwnerGone(owner),
    setNamespace: ({ namespace }) => world.setNamespace(namespace),
    deleteNamespace: ({ name }) => world.deleteNamespace(name),
    deleteProbeLease: ({ node }) => world.deleteProbeLease(node),
  };
  // Safe: the way is picked by the kind of this very event.
  (ways[event.kind] as (event: Simple) => void)(event);
}

/** What differs between the two implementations now. */
export function* differences(world: World, moment: Moment, manners: readonly Manner[]): Generator<string> {
  yield* numbersDifferences(world, moment);
  yield* verdictDifferences(world, moment, manners);
}

function* numbersDifferences(world: World, { state, now }: Moment): Generator<string> {
  const refs: readonly BudgetRef[] = [...state.pdbs.map(pdbRef), ...state.pubs.map(pubRef)];
  for (const ref of refs) {
    const naive = naiveNumbers(state, ref, now);
    const engine = budgetNumbers(world, ref, now);
    // Where no source was needed (no units, a plain budget) no source is better than another.
    const anySource = naive?.source === undefined || naive.expected === 0;
    const [left, right] = [naive, engine].map((numbers) =>
      anySource && numbers ? { ...numbers, source: undefined } : numbers,
    );
    const text = unlike(left, right);
    if (text !== undefined) yield `numbers of ${ref.kind} ${ref.namespace}/${ref.name}: ${text}`;
  }
}

const plainManners: readonly Manner[] = protectOperations.map((operation) => ({ operation, options: {} }));

function* verdictDifferences(world: World, { state, now }: Moment, manners: readonly Manner[]): Generator<string> {
  for (const pod of state.pods) {
    for (const manner of [...plainManners, ...manners]) {
      const request = requestFor(pod, manner);
      const naive = naiveDecide(state, request, now, manner.options);
      const engine = decide(world, request, now, manner.options);
      const text = unlike(listed(settled(naive, engine), manner), listed(told(engine), manner));
      const question = JSON.stringify({ ...request, options: manner.options });
      if (text !== undefined) yield `verdict on ${question}: ${text}`;
      if (takesOver(engine) !== undefined && takesOver(engine) !== pod.metadata.uid) yield `wrong pod for ${question}`;
    }
  }
}

/** The uid of the pod that the verdict would delete. */
function takesOver(verdict: Verdict): string | undefined {
  if (verdict.result === 'deny' || verdict.effects.complete !== 'takeover') return undefined;
  return verdict.effects.target.uid;
}

function requestFor(pod: Pod, manner: Manner): DisruptionRequest {
  const { requester, dryRun, resourceVersionPrecondition, takesAway, uid } = manner;
  const after = afterOf(pod, manner);
  return {
    operation: manner.operation,
    namespace: namespaceOf(pod),
    pod: pod.metadata.name,
    ...(requester === undefined ? {} : { requester }),
    ...(dryRun === undefined ? {} : { dryRun }),
    ...(resourceVersionPrecondition === undefined ? {} : { resourceVersionPrecondition }),
    ...(takesAway === undefined || manner.operation !== 'UPDATE' ? {} : { takesAway }),
    ...(uid === undefined ? {} : { uid: uid === 'wrong' ? 'another' : (pod.metadata.uid ?? '') }),
    ...(after === undefined ? {} : { after, referencesChange: !sameOwners(pod, after) }),
  };
}

function afterOf(pod: Pod, { operation, relabel, reown }: Manner): Pod | undefined {
  if (operation !== 'UPDATE' || (relabel === undefined && reown === undefined)) return undefined;
  const labels = Object.entries({ ...pod.metadata.labels, ...relabel }).filter(([, value]) => value !== '');
  const { ownerReferences = [], ...metadata } = pod.metadata;
  const owners = reown === undefined ? ownerReferences : reowned(namespaceOf(pod), ownerReferences, reown);
  return { ...pod, metadata: { ...metadata, labels: Object.fromEntries(labels), ownerReferences: owners } };
}

function sameOwners(pod: Pod, after: Pod): boolean {
  return isDeepStrictEqual(pod.metadata.ownerReferences ?? [], after.metadata.ownerReferences ?? []);
}

const absent = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'nowhere', uid: 'nowhere' };

function reowned(namespace: string, now: readonly OwnerReference[], how: Reowning): readonly OwnerReference[] {
  switch (how) {
    case 'none':
      return [];
    case 'absent':
      return [{ ...absent, controller: true }];
    case 'absentBeside':
      return [...now, absent];
    case 'bystander':
      return now.map((one) => ({ ...one, controller: false }));
    case 'db':
    case 'webOld':
      return [referenceTo(namespace, how) ?? absent];
  }
}

/**
 * Where a PUB refuses because it cannot tell (whether it covers the pod, what it says), it is not specified whether the
 * probe is asked as well. An eviction always meets the probe.
 */
function listed(verdict: Comparable, { operation }: Manner): Comparable {
  const cannotTell = ['OwnerNotResolved', 'BudgetInvalid', 'BudgetNotObserved'];
  if (operation === 'EVICT' || !verdict.refusals.some(({ code }) => cannotTell.includes(code))) return verdict;
  return { ...verdict, refusals: verdict.refusals.filter(({ budget }) => budget !== undefined) };
}

type Comparable = Omit<NaiveVerdict, 'reasons'>;

/** Where several reasons are true the engine may name any of them. */
function settled({ reasons, ...naive }: NaiveVerdict, engine: Verdict): Comparable {
  if (engine.result === 'deny' || !reasons.includes(engine.reason)) return naive;
  return { ...naive, reason: engine.reason, confirm: engine.reason === 'AlreadyReserved' };
}

function told(verdict: Verdict): Comparable {
  if (verdict.result === 'deny') {
    const refusals = verdict.blockers.map(({ code, budget }) => (budget === undefined ? { code } : { code, budget }));
    return { ...noEffects, result: 'deny', refusals };
  }
  const { reason, charges, effects } = verdict;
  return {
    result: 'allow',
    reason,
    refusals: [],
    charges: charges.map(({ source: _, ...charge }): NaiveCharge => charge),
    reserve: effects.reserve !== undefined,
    complete: effects.complete,
    count: effects.count ?? [],
    onlyIf: effects.onlyIf !== undefined,
    restsOn: (effects.restsOn ?? []).map(({ pod }) => pod),
    confirm: effects.confirm === true,
  };
}

function unlike(naive: unknown, engine: unknown): string | undefined {
  const [left, right] = [canonical(naive), canonical(engine)];
  return left === right ? undefined : `\n  naive  ${left}\n  engine ${right}`;
}

/** JSON with sorted keys and sorted lists: neither order means anything here. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return `{${entries
    .map(([key, part]) => `${key}: ${canonical(part)}`)
    .sort()
    .join(', ')}}`;
}
