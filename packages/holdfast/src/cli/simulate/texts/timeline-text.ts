import type { BudgetRef } from '../../../core/verdict.ts';
import type { PodPlace, TimelineEvent } from '../simulation-result.ts';
import { momentText } from './times.ts';

/** One line of a timeline: what happened within one second in one way. */
export interface TimelineLine {
  readonly at: number;
  readonly text: string;
}

const maxNames = 4;
const secondMs = 1_000;

/** The events in words. What happens to many pods, groups or budgets within a second is one line, where the first of it stands. */
export function timelineLines(events: readonly TimelineEvent[]): readonly TimelineLine[] {
  const buckets = new Map<string, TimelineEvent[]>();
  for (const event of events) {
    const key = `${Math.round(event.at / secondMs)} ${keyOf(event)}`;
    const bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, [event]);
    else bucket.push(event);
  }
  return [...buckets.values()].map((bucket) => ({ at: bucket[0]?.at ?? 0, text: lineOf(bucket) }));
}

export function timelineRows(events: readonly TimelineEvent[]): readonly (readonly string[])[] {
  return timelineLines(events).map(({ at, text }) => [momentText(at), text]);
}

/** A refusal is told for each pod: each has a reason of its own. */
function keyOf(event: TimelineEvent): string {
  switch (event.kind) {
    case 'refused':
    case 'unschedulable':
      return `${event.kind} ${podName(event.pod)}`;
    case 'evicted':
    case 'removed':
    case 'ready':
      return `${event.kind} ${event.pod.namespace}`;
    default:
      return event.kind;
  }
}

function lineOf(events: readonly TimelineEvent[]): string {
  const [first] = events;
  if (first === undefined) return '';
  switch (first.kind) {
    case 'cordoned':
    case 'uncordoned':
    case 'drained':
      return `${some(
        'node',
        events.flatMap((one) => ('node' in one ? [one.node] : [])),
      )} ${first.kind}`;
    case 'evicted':
      return `${podsText(events)} evicted from ${nodesText(events)}`;
    case 'removed':
      return `${podsText(events)} on ${nodesText(events)} taken away by ${events.length === 1 ? 'its' : 'their'} controller`;
    case 'ready':
      return `${podsText(events)} ready on ${nodesText(events)}`;
    case 'refused':
      return `${podName(first.pod)} on ${first.pod.node ?? 'no node'} refused: ${first.message}`;
    case 'unschedulable':
      return `${podName(first.pod)} finds no node: ${first.message}`;
    case 'groupDown':
    case 'groupUp': {
      const names = events.flatMap((one) => ('group' in one ? [`${one.namespace}/${one.group}`] : []));
      return `${some('group', names)} ${first.kind === 'groupDown' ? 'down' : 'up again'}`;
    }
    case 'limitReached':
    case 'limitLeft':
      return limitText(first, events);
  }
}

type LimitEvent = Extract<TimelineEvent, { kind: 'limitReached' | 'limitLeft' }>;

function limitText(first: LimitEvent, events: readonly TimelineEvent[]): string {
  const where = first.kind === 'limitReached' ? 'at' : 'no longer at';
  if (events.length === 1) return `${budgetRefText(first.budget)} ${where} its limit: ${numbersText(first)}`;
  const names = events.flatMap((one) => ('budget' in one ? [budgetRefText(one.budget)] : []));
  return `${names.length} budgets ${where} their limit: ${shortened(names)}`;
}

function numbersText({ unit, available, desired }: LimitEvent): string {
  const units = `${available} ${unit}${available === 1 ? '' : 's'} available`;
  return desired === undefined ? `${units}; how many are needed is unknown` : `${units}, ${desired} needed`;
}

function podsText(events: readonly TimelineEvent[]): string {
  const pods = podsOf(events);
  const names = pods.map(({ name }, index) => (index === 0 ? `${pods[0]?.namespace}/${name}` : name));
  return some('pod', names);
}

function nodesText(events: readonly TimelineEvent[]): string {
  const nodes = [...new Set(podsOf(events).flatMap(({ node }) => node ?? []))];
  return nodes.length === 0 ? 'no node' : shortened(nodes);
}

function podsOf(events: readonly TimelineEvent[]): readonly PodPlace[] {
  return events.flatMap((one) => ('pod' in one ? [one.pod] : []));
}

function podName({ namespace, name }: PodPlace): string {
  return `pod ${namespace}/${name}`;
}

export function budgetRefText({ kind, namespace, name }: BudgetRef): string {
  return `${kind === 'PodDisruptionBudget' ? 'pdb' : 'pub'} ${namespace}/${name}`;
}

function some(noun: string, names: readonly string[]): string {
  return `${names.length === 1 ? noun : `${names.length} ${noun}s`} ${shortened(names)}`;
}

function shortened(names: readonly string[]): string {
  const more = names.length - maxNames;
  return more > 0 ? `${names.slice(0, maxNames).join(', ')} and ${more} more` : names.join(', ');
}
