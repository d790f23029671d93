import type { Failure } from '../kube/outcome/failure.ts';
import { printable } from '../kube/outcome/printable.ts';

/**
 * 0: done, and the answer is yes; 1: the answer is no; 2: no answer, because the question or the way to it is wrong; 130: Ctrl-C was
 * pressed before there was one, as shells report it.
 */
export const exitCode = { yes: 0, no: 1, problem: 2, interrupted: 130 } as const;

/** The user pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Why a command cannot answer, and what the user can do about it. Shown without a stack. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly advice: string | undefined;

  constructor(message: string, advice?: string) {
    super(message);
    this.advice = advice;
  }
}

/** The API server could not be reached. Which one that is, the session knows. */
export class Unreachable extends Problem {
  readonly failure: Failure;

  constructor(failure: Failure, what: string) {
    super(`${what}: ${failure.message}`, unreachableAdvice);
    this.failure = failure;
  }
}

/** As it is printed on stderr. It may quote a file, a program or an API server. Whatever else was thrown is a mistake of ours, and still no reason for a stack. */
export function problemText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const advice = error instanceof Problem && error.advice !== undefined ? `${error.advice}\n` : '';
  return `error: ${printable(message)}\n${advice}`;
}

/** What became of a request that nothing can be done without. */
export function problemOf(failure: Failure, what: string): Problem {
  const isConnection = failure.kind === 'retry' && failure.cause === 'connection';
  return isConnection ? new Unreachable(failure, what) : new Problem(`${what}: ${failure.message}`, adviceFor(failure));
}

/** Which cluster a command talks to, for people. */
export interface NamedCluster {
  readonly server: URL;
  readonly source?: string;
}

/** The request that failed first says nothing about the cause: the cluster does. */
export function unreachableProblem({ failure }: Unreachable, { server, source }: NamedCluster): Problem {
  const cluster = `${server.origin}${source === undefined ? '' : ` (${source})`}`;
  const isUntrusted = failure.kind === 'retry' && failure.untrusted === true;
  return isUntrusted
    ? new Problem(`the certificate of ${cluster} is not trusted: ${failure.message}`, untrustedAdvice)
    : new Problem(`cannot reach the API server at ${cluster}: ${failure.message}`, unreachableAdvice);
}

const unreachableAdvice = 'Check that the cluster is running, or choose another one with --kubeconfig or --context.';
const untrustedAdvice =
  'The certificate authority of the kubeconfig (certificate-authority-data) did not sign it, or it names another host: get a current kubeconfig of that cluster.';

function adviceFor(failure: Failure): string | undefined {
  if (failure.code === 401) return 'Your credentials are not accepted: log in again, or choose another --context.';
  if (failure.kind === 'denied') return 'Ask for the right to read it, or choose another --context or -n NAMESPACE.';
  if (failure.kind !== 'retry') return undefined;
  if (failure.cause === 'deadline') return 'It took too long: try again, or raise --request-timeout.';
  return failure.cause === 'server' ? 'The API server failed: try again.' : undefined;
}
