import { type Fields, isObject } from '@holdfast/base/json';
import { printable } from '../../../kube/outcome/printable.ts';
import type { Interner } from '../../../kube/projection/interner.ts';
import { projectMeta } from '../../../kube/projection/meta.ts';
import type { Reflected } from '../../../kube/reflector/sink.ts';
import { byKeyOf } from '../../../ui/delta.ts';
import type { RefusalRow } from '../../../ui/model.ts';

/** The reason of events that tell of a refused disruption. */
export const refusedReason = 'DisruptionRefused';

/** An event that tells a budget of a refusal. */
export interface RefusalEvent extends Reflected {
  /** Key of the budget; undefined: it is about something else, such as the pod. */
  readonly budget: string | undefined;
  readonly pod: string;
  readonly message: string;
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

const kinds: Readonly<Record<string, string>> = { PodDisruptionBudget: 'pdb', PodUnavailableBudget: 'pub' };

export function refusalProjection(interner: Interner): (object: Fields) => RefusalEvent {
  return (object) => {
    const { involvedObject, message, count, firstTimestamp, lastTimestamp } = object;
    const { kind, namespace, name } = isObject(involvedObject) ? involvedObject : {};
    const short = Object.hasOwn(kinds, String(kind)) ? kinds[String(kind)] : undefined;
    const text = typeof message === 'string' ? printable(message) : '';
    const last = timeOf(lastTimestamp);
    return {
      metadata: projectMeta(object, { interner, keepAnnotation: () => false }),
      budget: short === undefined ? undefined : `${short}/${String(namespace)}/${String(name)}`,
      pod: / of pod (\S+) was refused/.exec(text)?.[1] ?? '',
      message: text,
      count: typeof count === 'number' ? count : 1,
      first: timeOf(firstTimestamp) || last,
      last,
    };
  };
}

function timeOf(text: unknown): number {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
}

/** Gathered by budget; what is older than an hour is left out, as API servers forget events by then. */
export function refusalRows(events: Iterable<RefusalEvent>, since: number): readonly RefusalRow[] {
  const rows = new Map<string, RefusalRow>();
  for (const { budget: key, count, first, last, message, pod, metadata } of events) {
    if (key === undefined || last < since) continue;
    const row = rows.get(key) ?? { key, count: 0, first, last: 0, message, namespace: metadata.namespace ?? '', pod };
    const newest = last >= row.last ? { last, message, pod } : {};
    rows.set(key, { ...row, count: row.count + count, first: Math.min(row.first, first), ...newest });
  }
  return [...rows.values()].sort(byKeyOf);
}
