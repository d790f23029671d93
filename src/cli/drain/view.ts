import type { Course } from '../../core/drain/course.ts';
import { isAway } from '../../core/drain/course-pod.ts';
import { ageText } from '../output/age.ts';
import type { Paint, Tone } from '../output/paint.ts';
import { table } from '../table.ts';
import { type Description, describePod } from './describe.ts';
import { podName } from './listed-pod.ts';
import { type Progress, progressBar, progressOf } from './progress.ts';

export interface ViewFacts {
  readonly nodes: readonly string[];
  readonly startedAt: number;
  readonly now: number;
  /** Of the terminal: what does not fit is cut off, so that no line breaks. */
  readonly columns: number;
  readonly paint: Paint;
}

const barWidth = 30;

/** A drain while it goes on: how far it is, and what each pod that is left waits for, those that wait longest first. */
export function liveText(course: Course, facts: ViewFacts): string {
  const { nodes, startedAt, now, columns, paint } = facts;
  const progress = progressOf(course.pods, startedAt, now);
  const names = nodes.length <= 3 ? nodes.join(', ') : `${nodes.length} nodes`;
  const head = cut(`Draining ${names} (Ctrl-C stops; nodes stay cordoned)`, columns);
  const holds = course.holds();
  const rows = course.pods
    .filter(({ state }) => !isAway(state))
    .map((tracked) => ({ pod: tracked.pod, ...describePod(tracked, holds) }))
    .sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.since - b.since)
    .map(({ pod, state, since, detail }) => [podName(pod), pod.node, state, ageText(now - since), detail]);
  const lines = [paint('strong', head), '', cut(progressLine(progress), columns)];
  return `${[...lines, ...(rows.length === 0 ? [] : ['', podTable(rows, columns, paint)])].join('\n')}\n`;
}

/** What needs somebody's eye first. */
const order: readonly Description['state'][] = ['stuck', 'failed', 'refused', 'held', 'ending', 'asked', 'next'];

const tones: Partial<Record<Description['state'], Tone>> = {
  stuck: 'bad',
  failed: 'bad',
  refused: 'warn',
  held: 'dim',
  ending: 'good',
};

function progressLine(progress: Progress): string {
  const { total, gone, elapsedMs, leftMs } = progress;
  const share = total === 0 ? 100 : Math.floor((100 * gone) / total);
  const estimate = leftMs === undefined ? '' : `, about ${ageText(leftMs)} left at this rate`;
  const counts = `${share}%, ${gone} of ${total} pods gone`;
  return `${progressBar(progress, barWidth)} ${counts}, ${ageText(elapsedMs)} so far${estimate}`;
}

function podTable(rows: readonly (readonly string[])[], columns: number, paint: Paint): string {
  const head = ['POD', 'NODE', 'STATE', 'SINCE', 'WAITS FOR'];
  const lines = table(head, rows).split('\n');
  // The state is painted after the lines were cut: colours take no room.
  const from = (lines[0] ?? '').indexOf('STATE');
  return lines
    .map((line, index) => {
      const text = cut(line, columns);
      const state = rows[index - 1]?.[2];
      const tone = tones[state as Description['state']];
      if (state === undefined || tone === undefined || text.length < from + state.length) return text;
      return `${text.slice(0, from)}${paint(tone, state)}${text.slice(from + state.length)}`;
    })
    .join('\n');
}

function cut(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`;
}
