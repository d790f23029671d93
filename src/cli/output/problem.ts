import type { Failure } from '../../kube/outcome/failure.ts';

/**
 * 0: done, and the answer is yes; 1: the answer is no; 2: no answer, because the question or the way to it is wrong; 130: somebody
 * pressed Ctrl-C before there was one, as shells report it.
 */
export const exitCode = { yes: 0, no: 1, problem: 2, interrupted: 130 } as const;

/** Whoever asked does not want to know any more. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Why a command cannot answer, and what somebody could do about it. Shown without a stack. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly advice: string | undefined;

  constructor(message: string, advice?: string) {
    super(message);
    this.advice = advice;
  }
}

/** As it is printed on stderr. Whatever else was thrown is a mistake of ours, and still no reason for a stack. */
export function problemText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const advice = error instanceof Problem && error.advice !== undefined ? `${error.advice}\n` : '';
  return `error: ${message}\n${advice}`;
}

/** What became of a request that nothing can be done without. */
export function problemOf(failure: Failure, what: string): Problem {
  return new Problem(`${what}: ${failure.message}`, adviceFor(failure));
}

function adviceFor(failure: Failure): string | undefined {
  if (failure.code === 401) return 'Your credentials are not accepted: log in again, or choose another --context.';
  if (failure.kind === 'denied') return 'Ask for the right to read it, or choose another --context or -n NAMESPACE.';
  if (failure.kind !== 'retry') return undefined;
  if (failure.cause === 'deadline') return 'It took too long: try again, or raise --request-timeout.';
  if (failure.cause === 'connection') return 'Is the cluster up, and does --kubeconfig or --context name it?';
  return failure.cause === 'server' ? 'The API server failed: try again.' : undefined;
}
