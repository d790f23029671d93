/**
 * Ways to get it wrong, each as text that is replaced in the source. `npm run test:bite` builds the stack with one of them at a time and
 * runs schedules until one fails; docs/testing.md has the first seed that noticed. Most of them were in the code once.
 */

export interface Edit {
  /** Below `src`. */
  readonly file: string;
  /** Found exactly once in the file, or the table is out of date. */
  readonly find: string;
  readonly replace: string;
}

export interface Mistake {
  readonly name: string;
  /** The kinds of stories that can show it, as remainders of their seeds by ten (scenario.ts); absent: all. */
  readonly stories?: readonly number[];
  readonly edits: readonly Edit[];
}

export const decide = 'core/decide/decide.ts';
export const batch = 'core/ledger/batch.ts';
export const prune = 'core/ledger/prune.ts';
export const evaluation = 'core/decide/case.ts';
export const admit = 'operator/admission/admit.ts';

/** Stories of single pods, of groups with a stated size, of groups without, and of gangs that cannot be divided. */
export const singles = [0, 2, 4, 6, 8];
export const shards = [1, 5, 9];
export const cells = [3];
export const gangs = [7];

export function one(
  name: string,
  file: string,
  find: string,
  replace: string,
  stories: readonly number[] = [...singles, ...shards],
): Mistake {
  return { name, stories, edits: [{ file, find, replace }] };
}
