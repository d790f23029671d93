import type { Course } from '../../core/drain/course.ts';
import { isAway } from '../../core/drain/course-pod.ts';
import { exitCode } from '../../observe/problem.ts';
import { ageText } from '../output/age.ts';
import { describePod, inWords } from './describe.ts';
import type { DrainSelection } from './filters.ts';
import { podName } from './listed-pod.ts';
import type { DrainEnd } from './runner.ts';

export interface Ending {
  readonly out: readonly string[];
  readonly err: readonly string[];
  readonly code: number;
}

export interface EndingFacts {
  /** All that were named, and are cordoned now. */
  readonly nodes: readonly string[];
  readonly refusals: DrainSelection['refusals'];
  readonly startedAt: number;
  readonly now: number;
  readonly timeoutMs: number | undefined;
  readonly missingFlags: readonly string[];
  /** The command that was given, with these flags added. */
  readonly commandWith: (flags: readonly string[]) => string;
}

/** So many pods that did not go are named; the others are counted. */
const maxNamed = 20;

/** How a drain ended, for people and for scripts. */
export function endingOf(course: Course, end: DrainEnd, facts: EndingFacts): Ending {
  const { pods } = course;
  const holds = course.holds();
  const left = pods.filter(({ state }) => !isAway(state));
  const undrained = undrainedNodes(course, facts.refusals);
  const took = ageText(facts.now - facts.startedAt);
  const gone = `${pods.length - left.length} of ${pods.length} pods deleted after ${took}`;
  if (undrained.size === 0)
    return { out: [`${gone}; drained: ${facts.nodes.join(', ')}`], err: [], code: exitCode.yes };
  const named = left
    .slice(0, maxNamed)
    .map((tracked) => `  ${podName(tracked.pod)} on ${tracked.pod.node}: ${inWords(describePod(tracked, holds))}`);
  const more = left.length > maxNamed ? [`  and ${left.length - maxNamed} more`] : [];
  const nodes = facts.nodes.filter((node) => undrained.has(node));
  return {
    out: [],
    err: [
      `${reason(end, facts)}: ${gone}`,
      ...named,
      ...more,
      ...refusalLines(facts.refusals),
      ...whatNext(nodes, facts),
    ],
    code: end.kind === 'interrupted' ? exitCode.interrupted : exitCode.no,
  };
}

/** Nodes with a pod that did not go, or from which nothing is evicted. */
export function undrainedNodes(course: Course, refusals: DrainSelection['refusals']): ReadonlySet<string> {
  const left = course.pods.filter(({ state }) => !isAway(state));
  return new Set([...refusals.keys(), ...left.map(({ pod }) => pod.node)]);
}

function reason(end: DrainEnd, { timeoutMs }: EndingFacts): string {
  switch (end.kind) {
    case 'interrupted':
      return 'interrupted';
    case 'timedOut':
      return `error: not drained within ${ageText(timeoutMs ?? 0)}`;
    case 'blind':
      return `error: ${end.message}`;
    case 'over':
      return 'error: not all nodes are drained';
  }
}

export function refusalLines(refusals: DrainSelection['refusals']): readonly string[] {
  return [...refusals].flatMap(([node, whys]) =>
    [...whys].map(([why, pods]) => `  nothing is evicted from ${node}: ${listed(pods)}: ${why}`),
  );
}

export function drainNoteLines(notes: DrainSelection['notes']): readonly string[] {
  return [...notes].map(([note, pods]) => `warning: ${listed(pods)}: ${note}`);
}

function listed(pods: readonly string[]): string {
  const shown = pods.slice(0, maxNamed).join(', ');
  return pods.length > maxNamed ? `${shown} and ${pods.length - maxNamed} more` : shown;
}

function whatNext(undrained: readonly string[], facts: EndingFacts): readonly string[] {
  const { nodes, missingFlags } = facts;
  const again = missingFlags.length === 0 ? ['Run the same command again to continue.'] : neededFlagLines(facts);
  const [first = '', ...rest] = again;
  return [`Not drained: ${undrained.join(', ')}. ${first}`, ...rest, ...cordonedLines(nodes)];
}

/** The command that evicts what is refused for want of a flag. */
export function neededFlagLines({
  missingFlags,
  commandWith,
}: Pick<EndingFacts, 'missingFlags' | 'commandWith'>): readonly string[] {
  return ['This command also drains them:', `  ${commandWith(missingFlags)}`];
}

/** Said at once, so that the operator does not learn it from pods that stay pending. */
export function cordonedLines(nodes: readonly string[]): readonly string[] {
  return [
    `Still cordoned: ${nodes.join(', ')}. To make them schedulable again:`,
    `  kubectl uncordon ${nodes.join(' ')}`,
  ];
}
