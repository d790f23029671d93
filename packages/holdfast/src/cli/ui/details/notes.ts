import type { Reservation } from '../../../api/ledger.ts';
import type { Blocker } from '../../../core/verdict.ts';
import type { Gap } from '../../../observe/once/gap.ts';
import { unseenProblem } from '../../../observe/once/sight.ts';
import type { AgentNote, AskedNote, BlockerNote, CommandLine, ReservationNote } from '../../../ui/details.ts';
import { commandLine } from '../../command-line.ts';
import type { Asked } from '../../explain/answer.ts';
import { plain } from '../../output/paint.ts';
import { barKeyOf } from '../overview/budget-bars.ts';
import { gapNote } from '../overview/head.ts';

/** Pieces that the details of nodes, budgets and pods have in common. */

export function blockerNote({ code, message, unblock, outlook, budget }: Blocker): BlockerNote {
  return { code, message, help: unblock, outlook, ...(budget === undefined ? {} : { budget: barKeyOf(budget) }) };
}

export function askedNote(asked: Asked): AskedNote {
  return asked.kind === 'yes' ? { kind: 'yes' } : { kind: asked.kind, why: asked.why };
}

export function reservationNote({ pod, operation, time }: Reservation): ReservationNote {
  return { pod, operation, since: Date.parse(time) };
}

interface SeenAgent {
  readonly holder: string;
  readonly state: AgentNote['state'];
  readonly ageSeconds: number;
}

export function agentNote({ holder, state, ageSeconds }: SeenAgent, now: number): AgentNote {
  return { holder, state, renewedAt: now - ageSeconds * 1_000 };
}

/** What was explained, and what is needed to say it. */
export interface Words {
  readonly at: number;
  readonly yes: boolean;
  /** As `holdfast explain` prints it. */
  readonly text: string;
  /** Codes of the refusals because of which the answer is no. */
  readonly refusals: readonly string[];
  readonly gaps: readonly Gap[];
  readonly commands: readonly CommandLine[];
}

/** A refusal that the user's rights explain is no answer, here as in the terminal. */
export function explained({ at, yes, text, refusals, gaps, commands }: Words) {
  const unseen = unseenProblem(gaps, refusals);
  const [headline = ''] = text.split('\n', 1);
  const notes = { gaps: gaps.map(gapNote), commands };
  if (unseen === undefined) return { at, yes, headline, text, ...notes };
  const why = `${unseen.message}\n${unseen.advice ?? ''}`;
  return { at, yes: false, headline: unseen.message, text: `${why}\n\n${text}`, ...notes };
}

/** How the same is asked in a terminal. */
export function command(title: string, words: readonly string[]): CommandLine {
  return { title, line: commandLine(words) };
}

export function wordsAt(now: number) {
  return { paint: plain, now };
}
