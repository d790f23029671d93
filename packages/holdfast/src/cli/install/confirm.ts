import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { Problem } from '../../observe/problem.ts';

export interface Confirmation {
  /** What is about to happen, as a sentence. */
  readonly what: string;
  /** `--yes` */
  readonly agreed: boolean;
  /** A person can be asked. */
  readonly terminal: boolean;
}

export interface Dialogue {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** Returns when the user agrees. A script agrees in advance: it cannot be asked, and must not be taken for a person who is. */
export async function confirm(
  { what, agreed, terminal }: Confirmation,
  { input, output, signal }: Dialogue,
): Promise<void> {
  if (agreed) return;
  if (!terminal) throw new Problem(`${what}, and there is no terminal to confirm it on`, 'Add --yes to agree.');
  const lines = createInterface({ input, output });
  try {
    const answer = await lines.question(`${what}. Type "yes" to go on: `, { signal });
    if (answer.trim().toLowerCase() !== 'yes') throw new Problem('not confirmed; nothing was changed');
  } finally {
    lines.close();
  }
}
