import { spawnSync } from 'node:child_process';

/** Prometheus' own tool; CI has it. */
export const promtool = process.env['PROMTOOL'] ?? 'promtool';

/** False: says so on stderr, with what is not checked then. */
export function hasPromtool(skipped: string): boolean {
  if (spawnSync(promtool, ['--version']).status === 0) return true;
  process.stderr.write(`there is no promtool on PATH, nor in PROMTOOL: ${skipped}\n`);
  return false;
}
