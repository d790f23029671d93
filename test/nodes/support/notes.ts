/** What a run measured, printed beside the results; nothing is judged by it. */
export function note(what: string, result: string): void {
  process.stdout.write(`  note: ${what}: ${result}\n`);
}
