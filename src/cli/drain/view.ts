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
  readonly paint: Paint;
}

const barWidth = 30;
const columns = ['POD', 'NODE', 'STATE', 'SINCE', 'WAITS FOR'];

/** A drain while it goes on: how far it is, and what each pod that is left waits for, those that wait longest first. */
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
    .map(({ pod, state, since, detail }) => {
      const tone = tones[state];
      const shown = tone === undefined ? state : paint(tone, state);
      return [podName(pod), pod.node, shown, ageText(now - since), detail];
    });
  const lines = [paint('strong', head), '', progressLine(progress)];
  return `${[...lines, ...(rows.length === 0 ? [] : ['', table(columns, rows)])].join('\n')}\n`;
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
