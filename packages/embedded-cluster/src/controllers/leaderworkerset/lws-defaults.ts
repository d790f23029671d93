import { isObject } from '@holdfast/base/json';
import type { JsonObject, KubeObject } from '../../objects.ts';

/** What a LeaderWorkerSet leaves open beyond the defaults of its schema. Changes the draft. */
export function applyLwsDefaults(draft: KubeObject): void {
  const spec = ownObject(draft, 'spec');
  if (spec === undefined) return;
  const template = ownObject(spec, 'leaderWorkerTemplate');
  // An older name for the same.
  if (template?.['restartPolicy'] === 'Default') template['restartPolicy'] = 'None';
  const strategy = ensure(spec, 'rolloutStrategy');
  strategy['type'] ??= 'RollingUpdate';
  strategy['rollingUpdateConfiguration'] ??= { partition: 0, maxUnavailable: 1, maxSurge: 0 };
  ensure(spec, 'networkConfig')['subdomainPolicy'] ??= 'Shared';
}

function ensure(parent: JsonObject, key: string): JsonObject {
  const found = ownObject(parent, key) ?? {};
  parent[key] = found;
  return found;
}

function ownObject(parent: JsonObject, key: string): JsonObject | undefined {
  const value = parent[key];
  return isObject(value) ? (value as JsonObject) : undefined;
}
