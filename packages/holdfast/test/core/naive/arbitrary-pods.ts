import fc from 'fast-check';
import type { Condition, ObjectMeta, OwnerReference } from '../../../../base/src/meta.ts';
import { annotation, condition } from '../../../src/api/names.ts';
import type { Pod, PodPhase } from '../../../src/api/pod.ts';
import { referenceTo, type Seat, uidOf } from './domain.ts';

/** Whether a thing is to be in ordinary shape, or anything. */
export type Likely = 'usual' | 'odd';

/** The first one most of the time. */
export function mostly<T>(first: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(first) },
    { weight: 2, arbitrary: fc.constantFrom(first, ...others) },
  );
}

export function rarely<T>(likely: Likely, usual: T, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  const weight = likely === 'usual' ? 25 : 6;
  return fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: odd });
}

const deletionTimestamp = '2026-01-01T00:00:00Z';
const goodProbe = JSON.stringify({ httpGet: { path: '/may-i-go', port: 8080 } });
const inPlaceNote = JSON.stringify({ revision: 'r2', lastContainerStatuses: { main: { imageID: 'old' } } });

type Verdict = Condition['status'] | undefined;
const phases: readonly PodPhase[] = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];

interface Traits {
  readonly life: number;
  readonly phase: PodPhase;
  readonly ready: Verdict;
  readonly disruptable: Verdict;
  readonly probe: 'none' | 'annotation' | 'field' | 'bad';
  readonly deletion: Pick<ObjectMeta, 'deletionTimestamp' | 'finalizers'>;
  readonly node: string | undefined;
  readonly app: string;
  readonly shard: string;
  readonly setAside: boolean;
  readonly noProtect: string;
  readonly inPlace: 'none' | 'done' | 'underWay';
  readonly gates: readonly string[];
  /** The conditions of its readiness gates, and whether its containers are ready. */
  readonly announced: Verdict;
  readonly otherGate: Verdict;
  readonly containersReady: Verdict;
  readonly ownerLife: number;
  readonly orphan: boolean;
  readonly replicas: string;
  readonly size: string;
}

function anyTraits(likely: Likely): fc.Arbitrary<Traits> {
  const verdict = fc.constantFrom<Verdict>('True', 'False', 'Unknown', undefined);
  return fc.record<Traits>({
    life: rarely(likely, 1, fc.constant(2)),
    phase: rarely<PodPhase>(likely, 'Running', fc.constantFrom(...phases)),
    ready: rarely<Verdict>(likely, 'True', verdict),
    disruptable: rarely<Verdict>(likely, 'True', verdict),
    probe: fc.oneof(
      { weight: 12, arbitrary: fc.constant('none') },
      { weight: 3, arbitrary: fc.constant('annotation') },
      { weight: 1, arbitrary: fc.constantFrom('field', 'bad') },
    ),
    deletion: rarely<Traits['deletion']>(
      likely,
      {},
      fc.constantFrom({ deletionTimestamp }, { deletionTimestamp, finalizers: ['orphan'] }),
    ),
    node: rarely<string | undefined>(likely, 'n1', fc.constantFrom('n2', undefined)),
    app: fc.constantFrom('x', 'x', 'x', 'y', ''),
    shard: fc.constantFrom('0', '0', '1', ''),
    setAside: rarely(likely, false, fc.constant(true)),
    noProtect: rarely(likely, '', fc.constantFrom('true', 'false')),
    inPlace: rarely<Traits['inPlace']>(likely, 'none', fc.constantFrom('done', 'underWay')),
    gates: rarely<readonly string[]>(
      likely,
      [],
      fc.constantFrom([condition.inPlaceUpdateReady], [condition.inPlaceUpdateReady, 'other'], ['other']),
    ),
    announced: fc.constantFrom<Verdict>('False', 'False', 'True', undefined),
    otherGate: rarely<Verdict>(likely, 'True', verdict),
    containersReady: rarely<Verdict>(likely, 'True', verdict),
    ownerLife: rarely(likely, 1, fc.constant(2)),
    orphan: rarely(likely, false, fc.constant(true)),
    replicas: fc.constantFrom('', '2', '2', '3'),
    size: rarely(likely, '2', fc.constantFrom('1', '3', '0', 'two')),
  });
}

export function anyPod(namespace: string, seat: Seat, likely: Likely): fc.Arbitrary<Pod> {
  return fc.tuple(anyTraits(likely), fc.integer({ min: 1, max: 999 })).map(([traits, version]) => {
    const owners = ownersOf(namespace, seat, traits);
    return {
      metadata: {
        name: seat.name,
        namespace,
        uid: uidOf(namespace, seat.name, traits.life),
        resourceVersion: String(version),
        labels: { ...seat.labels, ...traitLabels(seat, traits) },
        annotations: traitAnnotations(seat, traits),
        ...(owners.length === 0 ? {} : { ownerReferences: owners }),
        ...traits.deletion,
      },
      spec: { ...seat.spec, ...traitSpec(traits) },
      status: traitStatus(traits),
    };
  });
}

function ownersOf(namespace: string, seat: Seat, { orphan, ownerLife }: Traits): readonly OwnerReference[] {
  const owner = seat.owner === undefined || orphan ? undefined : referenceTo(namespace, seat.owner, ownerLife);
  return owner === undefined ? [] : [owner];
}

function traitLabels(seat: Seat, { app, shard, setAside, replicas }: Traits): Record<string, string> {
  const isJobSet = seat.labels?.['jobset.sigs.k8s.io/job-key'] !== undefined;
  return {
    ...(app === '' ? {} : { app }),
    ...(shard === '' ? {} : { shard }),
    ...(setAside ? { 'unavailable-pod.kruise.io/by-hand': '' } : {}),
    ...(isJobSet && replicas !== '' ? { 'jobset.sigs.k8s.io/replicatedjob-replicas': replicas } : {}),
  };
}

function traitAnnotations(seat: Seat, { probe, noProtect, inPlace, size }: Traits): Record<string, string> {
  return {
    ...(seat.sizeKey === undefined ? {} : { [seat.sizeKey]: size }),
    ...(probe === 'annotation' ? { [annotation.disruptionProbe]: goodProbe } : {}),
    ...(probe === 'bad' ? { [annotation.disruptionProbe]: '{"httpGet": 5' } : {}),
    ...(noProtect === '' ? {} : { [annotation.pubNoProtect]: noProtect }),
    ...(inPlace === 'none' ? {} : { [annotation.kruiseInPlaceState]: inPlaceNote }),
  };
}

function traitSpec({ probe, node, gates }: Traits): Pod['spec'] {
  const disruptionProbe = { tcpSocket: { port: 8080 } };
  return {
    ...(node === undefined ? {} : { nodeName: node }),
    containers: [{ name: 'main', ...(probe === 'field' ? { disruptionProbe } : {}) }],
    ...(gates.length === 0 ? {} : { readinessGates: gates.map((conditionType) => ({ conditionType })) }),
  };
}

function traitStatus(traits: Traits): NonNullable<Pod['status']> {
  const { phase, ready, disruptable, inPlace, announced, otherGate, containersReady } = traits;
  const conditions: Condition[] = [];
  const say = (type: string, status: Verdict) => status !== undefined && conditions.push({ type, status });
  say('Ready', ready);
  say(condition.disruptable, disruptable);
  say(condition.inPlaceUpdateReady, announced);
  say('other', otherGate);
  say('ContainersReady', containersReady);
  return {
    phase,
    conditions,
    containerStatuses: [{ name: 'main', imageID: inPlace === 'underWay' ? 'old' : 'new' }],
  };
}
