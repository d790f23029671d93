/** `1 node`, `4,200 nodes`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${numberText(count)} ${count === 1 ? noun : plural}`;
}

/** With a comma for thousands, whatever the reader's language is: the page is in English. */
export function numberText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** `a`, `a and b`, `a, b and 3 more`. */
export function listText(names: readonly string[], most = 3): string {
  if (names.length <= most) {
    const last = names.at(-1) ?? '';
    return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
  }
  return `${names.slice(0, most).join(', ')} and ${numberText(names.length - most)} more`;
}
