import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Outcome, Runner } from './spread.ts';

const program = fileURLToPath(new URL('./run-for-parent.ts', import.meta.url));

/**
 * A schedule leaves much garbage and little that stays, so a large young generation is collected less often. The collector's own threads would
 * compete with the other processes of the run for the cores.
 */
export const gcOptions = ['--max-semi-space-size=64', '--single-threaded-gc'];

/** Runs schedules in a process of its own, so that each core has its own. One that dies fails the schedule that it ran. */
export class ProcessRunner implements Runner {
  #child: ChildProcess | undefined;

  run(seed: number): Promise<Outcome> {
    this.#child ??= fork(program, [], { execArgv: [...process.execArgv, ...gcOptions] });
    const child = this.#child;
    return new Promise((resolve) => {
      const end = (outcome: Outcome) => {
        child.removeAllListeners();
        resolve(outcome);
      };
      child.once('message', (outcome) => end(outcome as Outcome));
      child.once('exit', (code, signal) => {
        this.#child = undefined;
        const violation = { clause: 'staying alive', at: 0, message: `the process ended with ${signal ?? code}` };
        end({ seed, violation, transcript: [], disruptions: 0 });
      });
      child.send(seed);
    });
  }

  close(): void {
    this.#child?.kill();
  }
}
