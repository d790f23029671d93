import { execFile } from 'node:child_process';
import type { CommandResult } from '../../../testbed/src/nodes/bed-access.ts';

/** The one on PATH, with the cluster of the environment. */
export function kubectl(args: readonly string[], input?: string): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile('kubectl', args, { timeout: 200_000, maxBuffer: 64 << 20 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, out, err });
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
