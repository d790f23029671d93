import { isObject, sameJson } from '../api/json.ts';
import { label } from '../api/names.ts';

/** What an update does to a running pod (C1). */
export type PodChange =
  | { readonly kind: 'harmless' }
  /** An in-place resize that restarts nothing. */
  | { readonly kind: 'resize' }
  /** It makes the pod unavailable, at least for a while. */
  | { readonly kind: 'takesAway'; readonly what: string };

type Json = Readonly<Record<string, unknown>>;

/**
 * Fields of a spec that can change on a live pod without anybody noticing. Everything else is taken for a restart: the API
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
  const label = addedUnavailableLabel(metadata(before), metadata(after));
  if (label !== undefined) return { kind: 'takesAway', what: `label ${label} is added` };
  const old = part(before, 'spec');
  const now = part(after, 'spec');
  const fields = new Set([...Object.keys(old), ...Object.keys(now)]);
  let resized = false;
  for (const field of fields) {
    if (harmlessFields.has(field) || sameJson(old[field], now[field])) continue;
    // Binding gives a pod its node; nothing runs before.
    if (field === 'nodeName' && old[field] === undefined) continue;
    if (field !== 'containers' && field !== 'initContainers')
      return { kind: 'takesAway', what: `spec.${field} changes` };
    const change = containersChange(field, old[field], now[field]);
    if (change.kind === 'takesAway') return change;
    resized = true;
  }
  return { kind: resized ? 'resize' : 'harmless' };
}

function containersChange(field: string, before: unknown, after: unknown): PodChange {
  const old = byName(before);
  const now = byName(after);
  if ([...old.keys()].join() !== [...now.keys()].join()) return { kind: 'takesAway', what: `spec.${field} changes` };
  for (const [name, container] of now) {
    const previous = old.get(name);
    const what = containerChange(previous ?? {}, container);
    if (what !== undefined) return { kind: 'takesAway', what: `container ${name}: ${what}` };
  }
  return { kind: 'resize' };
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
