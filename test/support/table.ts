import { it } from 'vitest';

/** One test per row, under the row's own sentence (`it.each` would quote it and cut it short). */
export function table<Row extends { readonly name: string }>(rows: readonly Row[], check: (row: Row) => void): void {
  for (const row of rows) it(row.name, () => check(row));
}
