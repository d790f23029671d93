/** What a terminal shows of a text: colours take no room. */
function widthOf(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours begin with
  return text.replace(/\u001b\[[0-9;]*m/g, '').length;
}

/** Columns like kubectl's: upper-case heads, three spaces between, no borders, nothing after the last column. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), title.length),
  );
  const padded = (cell: string, column: number): string =>
    cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) + 3 - widthOf(cell)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === cells.length - 1 ? cell : padded(cell, column))).join('');
  return [head, ...rows].map((row) => line(row).trimEnd()).join('\n');
}
