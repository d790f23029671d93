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
  readonly edits: readonly Edit[];
}

export const decide = 'core/decide/decide.ts';
export const batch = 'core/ledger/batch.ts';
export const prune = 'core/ledger/prune.ts';
export const loss = 'core/decide/loss.ts';
export const admit = 'operator/admission/admit.ts';

export function one(name: string, file: string, find: string, replace: string): Mistake {
  return { name, edits: [{ file, find, replace }] };
}
