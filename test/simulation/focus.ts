import type { HappeningName } from './happenings.ts';
import { gated, type PodTraits, probed, quick } from './objects.ts';

/**
 * What a story is about: a few kinds of happenings make up half of it, in a world in which they matter. Without one, a rare happening
 * seldom meets the pods and the budgets that it can go wrong with; see docs/testing.md for what that finds.
 */
export interface Focus {
  readonly often: readonly HappeningName[];
  /** What the pods are like; absent: drawn. */
  readonly traits?: PodTraits;
  /** Which budgets cover single pods: a PUB that states its total, a PUB, or a plain PDB beside one of ours; absent: drawn. */
  readonly budgets?: 'total' | 'pub' | 'plain';
  /** Pods are of a StatefulSet: a successor has the name of its predecessor; absent: drawn. */
  readonly sameNames?: true;
  /** A budget has room for one pod at a time; absent: drawn. */
  readonly tight?: true;
}

/** A mixture of everything. */
const none: Focus = { often: [] };

/**
 * Taken in turn, and not drawn, so that few stories have met every focus.
 * @param turn the how manieth story of its kind it is
 */
export function focusFor(turn: number, foci: readonly Focus[]): Focus {
  return foci[turn % foci.length] ?? none;
}

export const fociOfSingles: readonly Focus[] = [
  { often: ['insist', 'insistInTrouble'], traits: quick, budgets: 'pub', sameNames: true, tight: true },
  { often: ['insistInTrouble', 'evict'], budgets: 'pub', tight: true },
  { often: ['updateAnnounced'], traits: gated, budgets: 'pub', tight: true },
  { often: ['update', 'resize'], budgets: 'pub', tight: true },
  { often: ['scale', 'remove'], budgets: 'total', tight: true },
  { often: ['abandon'], budgets: 'pub', tight: true },
  { often: ['orphan', 'evict'], tight: true },
  { often: ['setLimit', 'insist'], budgets: 'pub' },
  { often: ['drain'], traits: quick, budgets: 'plain', sameNames: true },
  { often: ['evict', 'label'], budgets: 'plain', tight: true },
  { often: ['disturb'] },
  none,
  none,
  none,
];

export const fociOfShards: readonly Focus[] = [
  { often: ['answerProbe', 'evict'], traits: probed },
  { often: ['setLimit', 'insist'] },
  { often: ['insistInTrouble'], tight: true },
  { often: ['drain', 'ready'], tight: true },
  { often: ['orphan', 'evict'], tight: true },
  { often: ['disturb'] },
  none,
  none,
];

export const fociOfCells: readonly Focus[] = [
  { often: ['insistInTrouble', 'disturb'] },
  { often: ['drain', 'disturb'] },
  none,
];
