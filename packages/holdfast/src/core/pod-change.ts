import { isObject, sameJson } from '@holdfast/base/json';
import { label } from '../api/names.ts';

/** What an update does to a running pod (C1). */
export type PodChange =
  | { readonly kind: 'harmless' }
  /** An in-place resize that restarts nothing. */
  | { readonly kind: 'resize' }
  /** It makes the pod unavailable, at least for a while. */
  | { readonly kind: 'takesAway'; readonly what: string; readonly ends: ChangeEnd };

/** By what it is seen that such a change is over. */
export type ChangeEnd =
  /** The label itself says whether the pod is available. */
  | { readonly kind: 'label' }
  /** These containers are restarted. An init container that has ended is not. */
  | { readonly kind: 'restarts'; readonly containers: readonly string[] }
  | { readonly kind: 'unknown' };

type Json = Readonly<Record<string, unknown>>;

/**
 * Fields of a spec that can change on a live pod without an effect on its service. Everything else counts as a restart: the API
 * server allows little else, and what it allows one day is not known to be harmless.
 */
const harmlessFields: ReadonlySet<string> = new Set([
  'tolerations',
  'schedulingGates',
  'ephemeralContainers',
  'terminationGracePeriodSeconds',
]);

/** Compares whole pods as admission sees them. */
export function classifyChange(before: unknown, after: unknown): PodChange {
  const spec = specChange(part(before, 'spec'), part(after, 'spec'));
  const label = addedUnavailableLabel(metadata(before), metadata(after));
  if (label === undefined) return spec;
  const ends: ChangeEnd =
    spec.kind === 'takesAway'
      ? spec.ends
      : spec.kind === 'resize'
        ? { kind: 'restarts', containers: [] }
        : { kind: 'label' };
  return { kind: 'takesAway', what: `label ${label} is added`, ends };
}

function specChange(old: Json, now: Json): PodChange {
  let change: PodChange = { kind: 'harmless' };
  for (const field of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (harmlessFields.has(field) || sameJson(old[field], now[field])) continue;
    // Binding gives a pod its node; nothing runs before.
    if (field === 'nodeName' && old[field] === undefined) continue;
    change = both(
      change,
      field === 'containers' || field === 'initContainers'
        ? containersChange(field, old[field], now[field])
        : unforeseen(field),
    );
  }
  return change;
}

/** The first one says what it is; what it takes until they are over adds up. */
function both(first: PodChange, second: PodChange): PodChange {
  if (first.kind !== 'takesAway') return second.kind === 'harmless' ? first : second;
  if (second.kind !== 'takesAway' || first.ends.kind === 'unknown') return first;
  const ends =
    first.ends.kind === 'restarts' && second.ends.kind === 'restarts'
      ? { kind: 'restarts' as const, containers: [...first.ends.containers, ...second.ends.containers] }
      : { kind: 'unknown' as const };
  return { ...first, ends };
}

function unforeseen(field: string): PodChange {
  return { kind: 'takesAway', what: `spec.${field} changes`, ends: { kind: 'unknown' } };
}

function containersChange(field: string, before: unknown, after: unknown): PodChange {
  const old = byName(before);
  const now = byName(after);
  if ([...old.keys()].join() !== [...now.keys()].join()) return unforeseen(field);
  let change: PodChange = { kind: 'resize' };
  for (const [name, container] of now) {
    const what = containerChange(old.get(name) ?? {}, container);
    if (what === undefined) continue;
    const stays = field === 'containers' || container['restartPolicy'] === 'Always';
    const ends = { kind: 'restarts', containers: stays ? [name] : [] } as const;
    change = both(change, { kind: 'takesAway', what: `container ${name}: ${what}`, ends });
  }
  return change;
}

/** What restarts the container, if anything. */
function containerChange(before: Json, after: Json): string | undefined {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (key === 'resources' || sameJson(before[key], after[key])) continue;
    return `${key} changes`;
  }
  if (!sameJson(beyondAmounts(before), beyondAmounts(after))) return 'its resource claims change';
  const restarting = changedResources(part(before, 'resources'), part(after, 'resources')).find((resource) =>
    restartsOn(after['resizePolicy'], resource),
  );
  return restarting === undefined ? undefined : `its ${restarting} is resized, which restarts it`;
}

/** What `resources` has besides amounts: claims of devices, which no resize can change. */
function beyondAmounts(container: Json): Json {
  const { requests: _requests, limits: _limits, ...rest } = part(container, 'resources');
  return rest;
}

function changedResources(before: Json, after: Json): readonly string[] {
  const changed = new Set<string>();
  for (const kind of ['requests', 'limits']) {
    const old = part(before, kind);
    const now = part(after, kind);
    for (const resource of [...Object.keys(old), ...Object.keys(now)]) {
      if (!sameJson(old[resource], now[resource])) changed.add(resource);
    }
  }
  return [...changed];
}

/** Only CPU and memory can be resized without a restart, and only where the policy does not say otherwise. */
function restartsOn(policy: unknown, resource: string): boolean {
  if (resource !== 'cpu' && resource !== 'memory') return true;
  if (!Array.isArray(policy)) return false;
  return policy.some(
    (one) => isObject(one) && one['resourceName'] === resource && one['restartPolicy'] === 'RestartContainer',
  );
}

function addedUnavailableLabel(before: Json, after: Json): string | undefined {
  const old = part(before, 'labels');
  return Object.keys(part(after, 'labels')).find(
    (key) => key.startsWith(label.unavailablePodPrefix) && !Object.hasOwn(old, key),
  );
}

function metadata(pod: unknown): Json {
  return part(pod, 'metadata');
}

function part(object: unknown, key: string): Json {
  const value = isObject(object) ? object[key] : undefined;
  return isObject(value) ? value : {};
}

function byName(containers: unknown): ReadonlyMap<string, Json> {
  const list = Array.isArray(containers) ? containers.filter(isObject) : [];
  return new Map(list.map((container) => [String(container['name']), container]));
}
