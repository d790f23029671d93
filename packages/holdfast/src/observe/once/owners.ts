import type { Fields } from '@holdfast/base/json';
import type { World } from '../../core/world/world.ts';
import type { KindResource } from '../../kube/discovery/discovery.ts';
import type { Interner } from '../../kube/projection/interner.ts';
import { type LookUpResult, OwnerLookUp } from '../owners/look-up.ts';
import { type OwnerPlace, ownerKeyOf, ownerNameOf, placeOf } from '../owners/owner-key.ts';
import { kindKeyOf, watchedKinds } from '../owners/owner-kinds.ts';
import { type OwnerRecord, ownerStateOf, projectOwner } from '../owners/owner-record.ts';
import type { ReadSession } from '../session.ts';
import { type Gap, type MissingRight, resourceText } from './gap.ts';
import type { KindReader } from './kind-reader.ts';
import type { Scope } from './scope.ts';

/** From so many owners of a kind on, one list of all is cheaper than asking for each. */
const listFrom = 10;

const scaledKinds: ReadonlyMap<string, boolean> = new Map(watchedKinds.map((one) => [kindKeyOf(one), one.scaled]));

export interface OwnerReading {
  readonly session: ReadSession;
  readonly reader: KindReader;
  readonly scope: Scope;
  readonly world: World;
  readonly interner: Interner;
}

/**
 * Looks up whom the pods and budgets of a world point at, and whom those point at in turn. Who cannot be looked up stays unknown,
 * and the engine refuses what depends on it.
 */
export async function readOwners(reading: OwnerReading): Promise<readonly Gap[]> {
  const { session, reader, world, interner } = reading;
  const lookUp = new OwnerLookUp({
    client: session.client,
    findResource: (kind) => reader.discovery.resourceOf(kind),
    clock: session.clock,
    interner,
    signal: session.signal,
  });
  const asked = new Set<string>();
  const gaps = new Map<string, Gap>();
  for (;;) {
    const next = unasked(world, asked);
    if (next.size === 0) return [...gaps.values()];
    for (const places of next.values()) {
      for (const gap of await readKind(places, reading, lookUp)) gaps.set(gap.what, gap);
    }
  }
}

/** Owners that were not read yet, by kind. */
function unasked(world: World, asked: Set<string>): ReadonlyMap<string, readonly OwnerPlace[]> {
  const kinds = new Map<string, OwnerPlace[]>();
  for (const owner of world.unknownOwners()) {
    const place = placeOf(owner);
    const key = ownerKeyOf(place);
    if (asked.has(key)) continue;
    asked.add(key);
    const kind = kindKeyOf(place);
    kinds.set(kind, [...(kinds.get(kind) ?? []), place]);
  }
  return kinds;
}

async function readKind(
  places: readonly OwnerPlace[],
  reading: OwnerReading,
  lookUp: OwnerLookUp,
): Promise<readonly Gap[]> {
  const [first] = places;
  if (first === undefined) return [];
  const resource = places.length < listFrom ? undefined : await reading.reader.discovery.resourceOf(first);
  if (resource?.ok === true && isWholeInList(first, resource.value)) {
    const gap = await listKind(places, resource.value, reading);
    return gap === undefined ? [] : [gap];
  }
  const gaps = await Promise.all(
    places.map(async (place) => lookUpOne(place, await lookUp.find(place), reading.world)),
  );
  return gaps.filter((gap) => gap !== undefined);
}

/** Whether a list has all that is needed of an owner: the scale of a kind that is not built in needs another request. */
function isWholeInList(place: OwnerPlace, { scalable }: KindResource): boolean {
  return scaledKinds.has(kindKeyOf(place)) || !scalable;
}

async function listKind(
  places: readonly OwnerPlace[],
  resource: KindResource,
  { reader, scope, world, interner }: OwnerReading,
): Promise<Gap | undefined> {
  const scaled = scaledKinds.get(kindKeyOf({ group: resource.group, kind: resource.kind })) ?? false;
  const project = (object: Fields): OwnerRecord => projectOwner(object, scaled, interner);
  const listed = await reader.listResource(resource, scope, project);
  if (listed.kind === 'denied') return deniedOwnerGap('list', resource, listed.why);
  const records = listed.kind === 'read' ? listed.items : [];
  const found = new Map(records.map((one) => [nameKey(one.metadata.namespace ?? '', one.metadata.name), one]));
  for (const place of places) {
    const record = found.get(nameKey(resource.namespaced ? place.namespace : '', place.name));
    if (record === undefined) world.setOwnerGone(ownerNameOf(place));
    else world.setOwner(ownerStateOf(place, place.namespace, record));
  }
  return undefined;
}

function lookUpOne(place: OwnerPlace, result: LookUpResult, world: World): Gap | undefined {
  switch (result.kind) {
    case 'found':
      world.setOwner(result.owner);
      return undefined;
    case 'absent':
      world.setOwnerGone(ownerNameOf(place));
      return undefined;
    case 'unserved':
      return ownerGap(place.kind, place.group, 'the server has no such kind');
    case 'denied':
      return deniedOwnerGap(
        'get',
        { plural: place.kind, ...result.resource, group: place.group },
        result.failure.message,
      );
    case 'failed':
      return ownerGap(`${place.kind} ${place.name}`, place.group, result.failure.message);
  }
}

function ownerGap(plural: string, group: string, why: string): Gap {
  const follows = 'how many pods they want is unknown, and budgets that depend on it refuse';
  return { what: resourceText(group, plural), why, follows };
}

export function deniedOwnerGap(
  verb: MissingRight['verb'],
  { group, plural }: { readonly group: string; readonly plural: string },
  why: string,
): Gap {
  const right = {
    verb,
    resource: resourceText(group, plural),
    hides: ['ExpectedUnknown', 'OwnerNotResolved'],
  } as const;
  return { ...ownerGap(plural, group, why), right };
}

function nameKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
