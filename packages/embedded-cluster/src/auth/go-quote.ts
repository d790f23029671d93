/** Go's `%q`: the texts of the API server quote names this way. JSON differs from it in control characters alone. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(/\\(\\|u00([01][0-9a-f]))/g, (match, _, code: string | undefined) => {
    if (code === undefined) return match;
    return code === '07' ? '\\a' : code === '0b' ? '\\v' : `\\x${code}`;
  });
}

/** `%q` of a list: `["a" "b"]`. */
export function quoteList(texts: readonly string[]): string {
  return `[${texts.map(quote).join(' ')}]`;
}
