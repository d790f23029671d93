import type { Failure } from '../kube/outcome/failure.ts';
import type { Ended } from './outcome.ts';

/** Something that went on, or the end of everything. */
export type Went<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly ended: Ended };

export function went<T>(value: T): Went<T> {
  return { ok: true, value };
}

export function endedBy(failure: Failure, doing: string): { readonly ok: false; readonly ended: Ended } {
  if (failure.kind === 'aborted') return { ok: false, ended: { kind: 'stopped' } };
  return { ok: false, ended: { kind: 'failed', message: `${doing}: ${failure.message}`, advice: adviceFor(failure) } };
}

export function failedWith(message: string, advice: string): { readonly ok: false; readonly ended: Ended } {
  return { ok: false, ended: { kind: 'failed', message, advice } };
}

export function refusedWith(message: string, advice: string): { readonly ok: false; readonly ended: Ended } {
  return { ok: false, ended: { kind: 'refused', message, advice } };
}

const later = 'Run the same command again: it continues where it stopped.';

function adviceFor(failure: Failure): string {
  switch (failure.kind) {
    case 'denied':
      return failure.code === 401
        ? 'The cluster does not know you: look at the user of your kubeconfig (--kubeconfig, --context).'
        : 'Ask a cluster administrator. To grant rights one must have them, or the verbs "escalate" and "bind".';
    case 'rejected':
      return 'The API server does not take this object: it may be older than Kubernetes 1.30, or a policy of the cluster forbids it.';
    case 'retry':
      return failure.code === undefined
        ? 'The cluster does not answer: look at the server in your kubeconfig (--kubeconfig, --context), and try again.'
        : later;
    default:
      return later;
  }
}
