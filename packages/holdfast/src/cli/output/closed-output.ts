import type { Writable } from 'node:stream';

/** As shells report a command that SIGPIPE ended (128 + 13). Node ignores the signal, and reports an error instead. */
const closedPipeCode = 141;

/**
 * Ends the process without a word when the reader of its output has left, as in `holdfast lint big.yaml | head -1`. What was not
 * written has no reader, and neither has a complaint about it.
 */
export function endWithReader(streams: readonly Writable[], exit: (code: number) => void): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      exit(closedPipeCode);
    });
  }
}
