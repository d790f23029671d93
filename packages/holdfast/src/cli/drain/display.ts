import type { Course } from '../../core/drain/course.ts';
import { paintFor } from '../output/paint.ts';
import { redraw, type Screen } from '../output/screen.ts';
import { ChangeLines } from './lines.ts';
import { liveText } from './view.ts';

/** People do not read faster, and answers may come by the hundred. */
const frameMs = 100;

/** Shows how a drain goes: a live view on a terminal, a line for each change elsewhere. */
export function displayFor(
  terminal: Screen,
  env: Readonly<Record<string, string | undefined>>,
  nodes: readonly string[],
  startedAt: number,
): (course: Course, now: number, last: boolean) => void {
  if (terminal.isTTY !== true || env['TERM'] === 'dumb') {
    const lines = new ChangeLines(nodes, startedAt);
    return (course) => {
      for (const line of lines.take(course)) terminal.write(`${line}\n`);
    };
  }
  const paint = paintFor({ isTTY: true, env });
  let drawnAt: number | undefined;
  return (course, now, last) => {
    if (!last && drawnAt !== undefined && now - drawnAt < frameMs) return;
    redraw(terminal, liveText(course, { nodes, startedAt, now, paint }), drawnAt === undefined);
    drawnAt = now;
  };
}
