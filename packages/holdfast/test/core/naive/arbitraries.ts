import fc from 'fast-check';
import type { Namespace } from '../../../../base/src/meta.ts';
import { label } from '../../../src/api/names.ts';
import { protectOperations } from '../../../src/api/pub/pub.ts';
import type { PodGroup, Workload } from '../../../src/api/workload.ts';
import type { OwnerState } from '../../../src/core/owner.ts';
import { anyPdb, anyPub, groupLabels, pdbNames, pubNames } from './arbitrary-budgets.ts';
import { anyPod, type Likely, mostly, rarely } from './arbitrary-pods.ts';
import { cast, nodes, podGroupNames, referenceTo, type Seat, scenes, uidOf } from './domain.ts';
import type { Event, GroupedBy, Kept } from './events.ts';
import { anyManner, type Manner } from './manners.ts';

/** Small, adversarial clusters and what happens to them. */

export const namespaces = ['a', 'b'] as const;

/** Mostly one namespace, so that things meet. */
const anyNamespace: fc.Arbitrary<string> = fc.oneof(
  { weight: 30, arbitrary: fc.constant('a') },
  { weight: 1, arbitrary: fc.constant('b') },
);

const ownerNames = Object.keys(cast);

function anyOwner(namespace: string, shortName: string, likely: Likely): fc.Arbitrary<OwnerState> {
  const owner = cast[shortName];
  const usual = owner?.controller === undefined ? undefined : referenceTo(namespace, owner.controller);
  const odd = fc.constantFrom(...ownerNames).map((name) => referenceTo(namespace, name));
  return fc
    .record({
      life: rarely(likely, 1, fc.constant(2)),
      replicas: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 1, max: 3 }) },
        { weight: 1, arbitrary: fc.constantFrom(0, undefined) },
      ),
      deletion: rarely<Pick<OwnerState, 'deleting' | 'orphaning'>>(
        likely,
        {},
        fc.constantFrom({ deleting: true }, { orphaning: true }),
      ),
      controller: rarely(likely, usual, fc.oneof(fc.constant(undefined), odd)),
    })
    .map(({ life, replicas, deletion, controller }) => ({
      apiVersion: owner?.apiVersion ?? '',
      kind: owner?.kind ?? '',
      name: owner?.name ?? '',
      namespace,
      uid: uidOf(namespace, shortName, life),
      ...(replicas === undefined ? {} : { replicas }),
      ...deletion,
      ...(controller === undefined ? {} : { controller }),
    }));
}

const anyWorkload: fc.Arbitrary<Workload> = fc
  .record({
    namespace: anyNamespace,
    replicas: fc.constantFrom(undefined, undefined, 1, 2, 3),
    gang: fc.constantFrom(1, 1, 2, 2, 3, undefined),
    group: mostly('w', 'other'),
  })
  .map(({ namespace, replicas, gang, group }) => {
    const policy = gang === undefined ? { basic: {} } : { gang: { minCount: gang } };
    return {
      metadata: { name: 'wl', namespace },
      spec: { podGroups: [{ name: group, policy, ...(replicas === undefined ? {} : { replicas }) }] },
    };
  });

const podGroupVersions = { 'pg-0': 'v1beta1', 'pg-1': 'v1beta1', 'pg-2': 'v1alpha2' } as const;

type PodGroupName = (typeof podGroupNames)[number];

/** The 1.37 and the 1.36 shape, gangs and basic ones, with and without a workload behind them. */
function anyPodGroup(namespace: string, name: PodGroupName): fc.Arbitrary<PodGroup> {
  const traits = fc.record({
    gang: fc.constantFrom(1, 1, 2, 2, undefined),
    asOne: fc.boolean(),
    template: fc.constantFrom('t', 't', 'u', undefined),
    old: fc.boolean(),
  });
  return traits.map(({ gang, asOne, template, old }) => {
    const reference = old
      ? { podGroupTemplateRef: { workload: { workloadName: 'wl', podGroupTemplateName: template ?? '' } } }
      : { workloadRef: { workloadName: 'wl', templateName: template ?? '' } };
    return {
      apiVersion: `scheduling.k8s.io/${podGroupVersions[name]}`,
      metadata: { name, namespace },
      spec: {
        ...(template === undefined ? {} : reference),
        schedulingPolicy: gang === undefined ? { basic: {} } : { gang: { minCount: gang } },
        disruptionMode: old ? (asOne ? 'PodGroup' : 'Pod') : asOne ? { all: {} } : { single: {} },
      },
    };
  });
}

const anyNamespaceObject: fc.Arbitrary<Namespace> = fc
  .record({ name: anyNamespace, how: mostly('plain', 'enabled', 'disabled', 'terminating', 'deleted') })
  .map(({ name, how }) => ({
    metadata: {
      name,
      ...(how === 'enabled' || how === 'disabled' ? { labels: { [label.guard]: how } } : {}),
      ...(how === 'deleted' ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    status: { phase: how === 'terminating' ? 'Terminating' : 'Active' },
  }));

const ownerEvent = (likely: Likely): fc.Arbitrary<Event> =>
  fc
    .tuple(anyNamespace, fc.constantFrom(...ownerNames))
    .chain(([namespace, name]) =>
      anyOwner(namespace, name, likely).chain((owner) =>
        rarely<Event>(
          likely,
          { kind: 'setOwner', owner },
          fc.constant<Event>({ kind: 'setOwnerGone', owner: nameOf(owner) }),
        ),
      ),
    );

function nameOf({ apiVersion, kind, namespace, name }: OwnerState) {
  return { apiVersion, kind, namespace, name };
}

/** Not those of later lives: a lease may be older than a pod that took over a name. */
const firstLives = scenes.flat().map(({ name }) => uidOf('a', name, 1));

const leaseEvent: fc.Arbitrary<Event> = fc
  .record({
    node: fc.constantFrom(...nodes),
    ageSeconds: fc.constantFrom(0, 0, 5, 10, 40),
    durationSeconds: fc.constantFrom(10, 40),
    pods: fc.option(fc.subarray(firstLives), { freq: 1, nil: undefined }),
  })
  .map(({ pods, ...lease }) => ({ kind: 'setProbeLease', ...lease, ...(pods === undefined ? {} : { pods }) }));

const podEvent = (seats: readonly Seat[], likely: Likely): fc.Arbitrary<Event> =>
  fc
    .tuple(anyNamespace, fc.constantFrom(...seats))
    .chain(([namespace, seat]) => anyPod(namespace, seat, likely))
    .map((pod) => ({ kind: 'upsertPod', pod }));

const pdbEvent = anyNamespace.chain(anyPdb).map((pdb): Event => ({ kind: 'upsertPdb', pdb }));
const pubEvent = anyNamespace.chain(anyPub).map((pub): Event => ({ kind: 'upsertPub', pub }));
const workloadEvent = anyWorkload.map((workload): Event => ({ kind: 'upsertWorkload', workload }));
const podGroupEvent = fc
  .tuple(anyNamespace, fc.constantFrom(...podGroupNames))
  .chain(([namespace, name]) => anyPodGroup(namespace, name))
  .map((podGroup): Event => ({ kind: 'upsertPodGroup', podGroup }));
const namespaceEvent: fc.Arbitrary<Event> = fc.oneof(
  { weight: 5, arbitrary: anyNamespaceObject.map((namespace): Event => ({ kind: 'setNamespace', namespace })) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteNamespace' as const), name: anyNamespace }) },
);

const goneEvent: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('deleteNth' as const), nth: fc.nat(13) }),
  fc.record({ kind: fc.constant('deleteNth' as const), nth: fc.nat(13) }),
  fc.record({ kind: fc.constant('deletePdb' as const), namespace: anyNamespace, name: fc.constantFrom(...pdbNames) }),
  fc.record({ kind: fc.constant('deletePub' as const), namespace: anyNamespace, name: fc.constantFrom(...pubNames) }),
  fc.record({ kind: fc.constant('deleteWorkload' as const), namespace: anyNamespace, name: fc.constant('wl') }),
  fc.record({ namespace: anyNamespace, name: fc.constantFrom(...podGroupNames) }).map(({ namespace, name }): Event => {
    const apiVersion = `scheduling.k8s.io/${podGroupVersions[name]}`;
    return { kind: 'deletePodGroup', apiVersion, namespace, name };
  }),
  fc.record({ kind: fc.constant('deleteProbeLease' as const), node: fc.constantFrom(...nodes) }),
);

const ledgerEvent: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('reserveNth' as const),
      nth: fc.nat(13),
      operation: fc.constantFrom('EVICT', 'EVICT', ...protectOperations),
      kept: fc.constantFrom<Kept>('fresh', 'fresh', 'late', 'conditional', 'conditional', 'conditionalLate'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('releaseNth' as const), nth: fc.nat(5) }) },
);

/** Sizes that are too small, right and too large for what is there. */
const keepEvent: fc.Arbitrary<Event> = fc.record({
  kind: fc.constant('keepSize' as const),
  nth: fc.nat(13),
  by: fc.constantFrom<GroupedBy>('convention', ...groupLabels.map((key) => ({ label: key }))),
  size: fc.constantFrom(1, 2, 2, 3, 3, 4),
});

const sizeEvent: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: keepEvent },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dropSizes' as const), namespace: anyNamespace }) },
);

const restartEvent: fc.Arbitrary<Event> = fc.constant({ kind: 'restart' });

const timeEvent = fc.constantFrom(1, 5, 10, 30).map((seconds): Event => ({ kind: 'advance', seconds }));

const anyEvent = (seats: readonly Seat[]): fc.Arbitrary<Event> =>
  fc.oneof(
    { weight: 10, arbitrary: podEvent(seats, 'odd') },
    { weight: 4, arbitrary: pdbEvent },
    { weight: 4, arbitrary: pubEvent },
    { weight: 4, arbitrary: ownerEvent('odd') },
    { weight: 2, arbitrary: workloadEvent },
    { weight: 3, arbitrary: podGroupEvent },
    { weight: 1, arbitrary: namespaceEvent },
    { weight: 2, arbitrary: leaseEvent },
    { weight: 5, arbitrary: goneEvent },
    { weight: 5, arbitrary: ledgerEvent },
    { weight: 4, arbitrary: sizeEvent },
    { weight: 2, arbitrary: restartEvent },
    { weight: 2, arbitrary: timeEvent },
  );

/** A cluster in ordinary shape: most of it known, most of it healthy. Not every part is there. */
const opening = (seats: readonly Seat[]): fc.Arbitrary<readonly Event[]> =>
  fc
    .tuple(
      most(25, ownerNames, knownOwner),
      most(8, seats, healthyPod),
      most(4, podGroupNames, knownPodGroup),
      fc.array(workloadEvent, { maxLength: 1, size: 'max' }),
      fc.array(pdbEvent, { maxLength: 2, size: 'max' }),
      fc.array(pubEvent, { maxLength: 2, size: 'max' }),
      most(25, nodes, firstLease),
      fc.array(keepEvent, { maxLength: 3, size: 'max' }),
    )
    .map((parts) => parts.flat());

/** An event for each of these things, of which one in so many is missing. */
function most<T>(freq: number, things: readonly T[], event: (thing: T) => fc.Arbitrary<Event>): fc.Arbitrary<Event[]> {
  const all = fc.tuple(...things.map((thing) => fc.option(event(thing), { freq, nil: undefined })));
  return all.map((events) => events.filter((one) => one !== undefined));
}

/** Fresh, or at the very moment at which it is fresh no more. */
function firstLease(node: string): fc.Arbitrary<Event> {
  return mostly(0, 40).map((ageSeconds) => ({ kind: 'setProbeLease', node, ageSeconds, durationSeconds: 40 }));
}

function knownPodGroup(name: PodGroupName): fc.Arbitrary<Event> {
  return anyPodGroup('a', name).map((podGroup): Event => ({ kind: 'upsertPodGroup', podGroup }));
}

function healthyPod(seat: Seat): fc.Arbitrary<Event> {
  return anyPod('a', seat, 'usual').map((pod): Event => ({ kind: 'upsertPod', pod }));
}

function knownOwner(name: string): fc.Arbitrary<Event> {
  return anyOwner('a', name, 'usual').map((owner): Event => ({ kind: 'setOwner', owner }));
}

export interface Story {
  readonly opening: readonly Event[];
  readonly events: readonly Event[];
  readonly manners: readonly Manner[];
}

export const anyStory: fc.Arbitrary<Story> = fc
  .subarray([...scenes], { minLength: 1, maxLength: 3 })
  .chain((chosen) => {
    const seats = chosen.flat();
    return fc.record({
      opening: opening(seats),
      events: fc.array(anyEvent(seats), { maxLength: 8, size: 'max' }),
      manners: fc.array(anyManner, { maxLength: 3, size: 'max' }),
    });
  });
