import type { Tracked } from '../../core/drain/census.ts';
import type { Course } from '../../core/drain/course.ts';
import { isAway } from '../../core/drain/course-pod.ts';
import { ageText } from '../output/age.ts';
import type { Paint, Tone } from '../output/paint.ts';
import { table } from '../table.ts';
import { type Description, describePod } from './describe.ts';
import { podName } from './listed-pod.ts';
import { type DrainCount, progressBar, progressOf } from './progress.ts';
import { shortReason } from './short-reason.ts';

export interface ViewFacts {
  readonly nodes: readonly string[];
  readonly startedAt: number;
  readonly now: number;
  readonly paint: Paint;
}

const barWidth = 30;
const columns = ['POD', 'NODE', 'STATE', 'SINCE', 'WAITS FOR'];
/** More nodes than this leave no room for the pods on a screen; the others are counted. */
const maxNodes = 6;

/** A drain in progress: how far each node is, and what each remaining pod waits for; the longest wait first. */
export function liveText(course: Course, facts: ViewFacts): string {
  const { nodes, startedAt, now, paint } = facts;
  const progress = progressOf(course.pods, startedAt, now);
  const names = nodes.length <= 3 ? nodes.join(', ') : `${nodes.length} nodes`;
  const head = `Draining ${names} (Ctrl-C stops; nodes stay cordoned)`;
  const holds = course.holds();
  const rows = course.pods
    .filter(({ state }) => !isAway(state))
    .map((tracked) => ({ pod: tracked.pod, ...describePod(tracked, holds) }))
    .sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.since - b.since)
    .map((one) => {
      const tone = tones[one.state];
      const shown = tone === undefined ? one.state : paint(tone, one.state);
      return [podName(one.pod), one.pod.node, shown, ageText(now - one.since), waitText(one, now)];
    });
  const lines = [paint('strong', head), '', progressLine(progress), ...nodeLines(nodes, course.pods)];
  return `${[...lines, ...(rows.length === 0 ? [] : ['', table(columns, rows)])].join('\n')}\n`;
}

function waitText({ state, detail, retryAt }: Description, now: number): string {
  const text = state === 'refused' ? shortReason(detail) : detail;
  if (retryAt === undefined) return text === '' ? '-' : text;
  return `${text}; ${retryAt > now ? `retry in ${ageText(retryAt - now)}` : 'retry now'}`;
}

/** The nodes that have the most pods left first. */
function nodeLines(nodes: readonly string[], pods: readonly Tracked[]): readonly string[] {
  if (nodes.length < 2) return [];
  const counts = nodes.map((node) => {
    const own = pods.filter(({ pod }) => pod.node === node);
    return { node, total: own.length, left: own.filter(({ state }) => !isAway(state)).length };
  });
  const shown = [...counts].sort((a, b) => b.left - a.left).slice(0, maxNodes);
  const rows = shown.map(({ node, total, left }) => [
    `  ${node}`,
    left === 0 ? 'drained' : `${total - left} of ${total} pods deleted`,
  ]);
  const width = Math.max(...rows.map(([name = '']) => name.length));
  const hidden = counts.length - shown.length;
  return [
    ...rows.map(([name = '', text = '']) => `${name.padEnd(width)}   ${text}`),
    ...(hidden > 0 ? [`  and ${hidden} more nodes`] : []),
  ];
}

/** What needs attention first. */
const order: readonly Description['state'][] = ['stuck', 'failed', 'refused', 'held', 'terminating', 'asked', 'next'];

const tones: Partial<Record<Description['state'], Tone>> = {
  stuck: 'bad',
  failed: 'bad',
  refused: 'warn',
  held: 'dim',
  terminating: 'good',
};

function progressLine(progress: DrainCount): string {
  const { total, gone, elapsedMs, leftMs } = progress;
  const share = total === 0 ? 100 : Math.floor((100 * gone) / total);
  const estimate = leftMs === undefined ? '' : `, about ${ageText(leftMs)} left at this rate`;
  const counts = `${share}%, ${gone} of ${total} pods deleted`;
  return `${progressBar(progress, barWidth)} ${counts}, ${ageText(elapsedMs)} so far${estimate}`;
}
