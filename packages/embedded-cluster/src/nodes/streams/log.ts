import type { ContainerState, ContainerStatus } from 'kubernetes-types/core/v1.js';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { annotationOf, sim } from '../annotations.ts';

export interface LogOptions {
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  /** The last so many lines. */
  readonly tailLines?: number;
  /** Lines at or after this moment. */
  readonly sinceMs?: number;
  readonly limitBytes?: number;
}

interface Line {
  readonly time: string;
  readonly text: string;
}

/** What a container said: that it began, whether it is ready, what its annotation makes it say, and how it ended. */
export function logOf(pod: PodObject, container: string, options: LogOptions = {}): string {
  const lines = linesOf(pod, container, options.previous ?? false);
  const recent = lines.filter(({ time }) => options.sinceMs === undefined || Date.parse(time) >= options.sinceMs);
  const tail = options.tailLines === undefined ? recent : recent.slice(Math.max(0, recent.length - options.tailLines));
  const text = tail.map((line) => `${options.timestamps ? `${precise(line.time)} ` : ''}${line.text}\n`).join('');
  if (options.limitBytes === undefined) return text;
  return Buffer.from(text).subarray(0, options.limitBytes).toString();
}

export function statusOfContainer(pod: PodObject, container: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  return [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === container);
}

function linesOf(pod: PodObject, container: string, previous: boolean): readonly Line[] {
  const status = statusOfContainer(pod, container);
  if (status === undefined) return [];
  const state = previous ? status.lastState : status.state;
  const began = state?.running?.startedAt ?? state?.terminated?.startedAt;
  if (began === undefined) return [];
  const said = (annotationOf(pod, sim.log) ?? '').split('\n').filter((text) => text !== '');
  return [
    { time: began, text: `container ${container} started from ${status.image}` },
    ...said.map((text) => ({ time: began, text })),
    ...(previous ? [] : readyLines(pod, state, began)),
    ...endLines(state),
  ];
}

function readyLines(pod: PodObject, state: ContainerState | undefined, began: string): readonly Line[] {
  if (!state?.running) return [];
  const condition = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  const time = condition?.lastTransitionTime;
  if (!time || condition.status === 'Unknown') return [];
  if (condition.status === 'False' && Date.parse(time) <= Date.parse(began)) return [];
  return [{ time, text: condition.status === 'True' ? 'ready' : 'not ready' }];
}

function endLines(state: ContainerState | undefined): readonly Line[] {
  const ended = state?.terminated;
  if (!ended?.finishedAt) return [];
  return [{ time: ended.finishedAt, text: `exiting with code ${ended.exitCode}` }];
}

/** Logs carry nanoseconds, which are not measured here. */
function precise(time: string): string {
  return time.replace(/(\.[0-9]+)?Z$/, '.000000000Z');
}
