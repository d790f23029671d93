/** Columns like kubectl's: upper-case heads, three spaces between, no borders, nothing after the last column. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + 3))).join('');
  return [head, ...rows].map((row) => line(row).trimEnd()).join('\n');
}
