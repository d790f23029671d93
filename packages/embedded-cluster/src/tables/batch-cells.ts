import { isThere, listAt, numberAt, objectAt, specOf, statusOf, textAt } from '../kinds/builtin/checks/read.ts';
import type { Cells } from '../kinds/builtin-types.ts';
import type { JsonObject, KubeObject, ResourceKey } from '../objects.ts';
import { ageOf, humanDuration, since, timeOf } from './age.ts';
import { conditionStatus, containerCells, formatSelector, none, unset } from './texts.ts';

const job: Cells = (object, nowMs) => [
  object.metadata.name,
  jobStatus(object),
  completions(specOf(object), numberAt(statusOf(object), 'succeeded') ?? 0),
  jobDuration(statusOf(object), nowMs),
  ageOf(object, nowMs),
  ...podCellsOf(specOf(object)),
];

/** Conditions that name the status, the most important first. A deletion comes between the two. */
const finished = ['Complete', 'Failed'];
const unfinished = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

function jobStatus(object: KubeObject): string {
  const holds = (type: string): boolean => conditionStatus(statusOf(object), type) === 'True';
  const end = finished.find(holds);
  if (end !== undefined) return end;
  return object.metadata.deletionTimestamp ? 'Terminating' : (unfinished.find(holds) ?? 'Running');
}

function completions(spec: JsonObject, succeeded: number): string {
  const wanted = numberAt(spec, 'completions');
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  const parallelism = numberAt(spec, 'parallelism') ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(status: JsonObject, nowMs: number): string {
  const start = timeOf(status['startTime']);
  if (start === undefined) return '';
  return humanDuration((timeOf(status['completionTime']) ?? nowMs) - start);
}

function podCellsOf(jobSpec: JsonObject | undefined): readonly string[] {
  const podSpec = objectAt(objectAt(jobSpec, 'template'), 'spec');
  return [...containerCells(podSpec), formatSelector(objectAt(jobSpec, 'selector'))];
}

const cronJob: Cells = (object, nowMs) => {
  const spec = specOf(object);
  const status = statusOf(object);
  const last = status['lastScheduleTime'];
  return [
    object.metadata.name,
    textAt(spec, 'schedule'),
    isThere(spec['timeZone']) ? textAt(spec, 'timeZone') : none,
    booleanText(spec['suspend']),
    listAt(status, 'active').length,
    isThere(last) ? since(last, nowMs) : none,
    ageOf(object, nowMs),
    ...podCellsOf(objectAt(objectAt(spec, 'jobTemplate'), 'spec')),
  ];
};

/** A word, although the column calls itself boolean. */
function booleanText(value: unknown): string {
  if (typeof value !== 'boolean') return unset;
  return value ? 'True' : 'False';
}

export const batchCells: readonly (readonly [ResourceKey, Cells])[] = [
  ['batch/jobs', job],
  ['batch/cronjobs', cronJob],
];
