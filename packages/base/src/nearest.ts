/** Which known word was probably meant by one that is not known: for messages, never for decisions. */

/** More differences make it another word; short words have to be closer. */
const maxDistance = 3;

export function nearest(word: string, known: readonly string[]): string | undefined {
  const exact = known.find((one) => plainForm(one) === plainForm(word));
  if (exact !== undefined) return exact;
  const limit = Math.min(maxDistance, Math.floor(word.length / 3));
  const [best] = known
    .map((one) => ({ one, away: distance(plainForm(word), plainForm(one), limit) }))
    .filter(({ away }) => away <= limit)
    .sort((a, b) => a.away - b.away);
  return best?.one;
}

/** `; did you mean "PodGroup"?`, or nothing. */
export function didYouMean(word: unknown, known: readonly string[]): string {
  const meant = typeof word === 'string' ? nearest(word, known) : undefined;
  return meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
}

function plainForm(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '');
}

/** Edits between two words (Levenshtein), as far as that matters: more than `limit` is told as one more than that. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...a].entries()) {
    const now = [row + 1];
    for (const [column, other] of [...b].entries()) {
      const replaced = (before[column] ?? 0) + (letter === other ? 0 : 1);
      now.push(Math.min(replaced, (before[column + 1] ?? 0) + 1, (now[column] ?? 0) + 1));
    }
    before = now;
  }
  return before[b.length] ?? limit + 1;
}
