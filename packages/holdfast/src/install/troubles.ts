import type { ContainerStatus, Event, Pod } from 'kubernetes-types/core/v1.js';
import { printable } from '../kube/outcome/printable.ts';

const maxLines = 5;
const maxLength = 300;

/** What keeps pods from being ready, one line each. */
export function podTroubles(pods: readonly Pod[]): readonly string[] {
  const lines = pods.flatMap((pod) => {
    const trouble = podTrouble(pod);
    return trouble === undefined ? [] : [shortened(`pod/${pod.metadata?.name ?? ''}: ${trouble}`)];
  });
  return lines.slice(0, maxLines);
}

function podTrouble({ metadata, status }: Pod): string | undefined {
  if (metadata?.deletionTimestamp !== undefined) return undefined;
  const condition = (type: string) => status?.conditions?.find((one) => one.type === type);
  if (condition('Ready')?.status === 'True') return undefined;
  const scheduled = condition('PodScheduled');
  if (scheduled?.status === 'False')
    return `not scheduled: ${scheduled.message ?? scheduled.reason ?? 'no reason given'}`;
  const troubled = status?.containerStatuses?.map(containerTrouble).find((text) => text !== undefined);
  return troubled ?? `${status?.phase ?? 'Pending'}, not ready${readyMessage(condition('Ready')?.message)}`;
}

function readyMessage(message: string | undefined): string {
  return message === undefined || message === '' ? '' : `: ${message}`;
}

function containerTrouble({ name, state, lastState }: ContainerStatus): string | undefined {
  const { waiting, terminated } = state ?? {};
  const before = lastState?.terminated;
  if (waiting !== undefined) {
    const last = before === undefined ? '' : `; it ended with ${before.exitCode} before`;
    const message = waiting.message === undefined ? '' : `: ${waiting.message}`;
    return `container ${name} waits: ${waiting.reason ?? 'no reason given'}${message}${last}`;
  }
  if (terminated === undefined) return undefined;
  return `container ${name} ended with ${terminated.exitCode}${readyMessage(terminated.message ?? terminated.reason)}`;
}

/** The newest warnings, oldest first. */
export function eventLines(events: readonly Event[]): readonly string[] {
  const warnings = events.filter(({ type }) => type === 'Warning');
  const inOrder = warnings.toSorted((left, right) => (timeOf(left) < timeOf(right) ? -1 : 1));
  return inOrder.slice(-maxLines).map(({ reason, message, involvedObject: about }) => {
    const object = `${about.kind?.toLowerCase() ?? ''}/${about.name ?? ''}`;
    return shortened(`${reason ?? 'Warning'} ${object}: ${message ?? ''}`);
  });
}

function timeOf({ lastTimestamp, eventTime, metadata }: Event): string {
  return lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '';
}

function shortened(text: string): string {
  const line = printable(text.replaceAll(/\s+/g, ' ').trim());
  return line.length > maxLength ? `${line.slice(0, maxLength)}...` : line;
}
