import { isObject } from '@holdfast/base/json';
import type { LoadedObject } from '../../load-objects.ts';

/** New Jobs would come and never end, since their run time is unknown. */
export function withoutSchedules(objects: readonly LoadedObject[]): {
  readonly objects: readonly LoadedObject[];
  readonly notes: readonly string[];
} {
  const active = objects.filter(isActive);
  if (active.length === 0) return { objects, notes: [] };
  const suspended = objects.map((object) =>
    isActive(object) ? { ...object, spec: { ...(object['spec'] as object), suspend: true } } : object,
  );
  const count = `${active.length} ${active.length === 1 ? 'CronJob starts' : 'CronJobs start'}`;
  return { objects: suspended, notes: [`${count} nothing`] };
}

function isActive({ kind, apiVersion, spec }: LoadedObject): boolean {
  return kind === 'CronJob' && apiVersion.startsWith('batch/') && isObject(spec) && spec['suspend'] !== true;
}
