import type { Namespace } from '../../api/meta.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { type GuardMode, isNeverGuarded, labelledMode } from '../guard/plan.ts';
import { resources } from '../resources.ts';

/** What is done about requests in a namespace: in those that are not guarded API servers ask nothing, and the webhook does nothing (I13). */
export interface NamespaceGuards {
  /** From the view. */
  modeOf(namespace: string): GuardMode;
  /** From the API server. Undefined: it could not be read. */
  confirm(namespace: string, signal: AbortSignal): Promise<GuardMode | undefined>;
}

export interface GuardParts {
  readonly client: Pick<KubeClient, 'get'>;
  readonly namespaces: { get(namespace: undefined, name: string): Namespace | undefined };
  /** The operator's own namespace. */
  readonly own: string;
  /** No request is refused in any namespace. */
  readonly observesAll: () => boolean;
}

export function kubeGuards({ client, namespaces, own, observesAll }: GuardParts): NamespaceGuards {
  const modeIn = (namespace: Namespace): GuardMode => {
    const labelled = labelledMode(namespace);
    return labelled === 'enforce' && observesAll() ? 'observe' : labelled;
  };
  return {
    modeOf(name) {
      const seen = namespaces.get(undefined, name);
      return seen === undefined || isNeverGuarded(name, own) ? 'off' : modeIn(seen);
    },
    async confirm(name, signal) {
      if (isNeverGuarded(name, own)) return 'off';
      const read = await client.get<Namespace>(resources.namespaces, { name }, { signal });
      if (read.ok) return modeIn(read.value);
      return read.failure.kind === 'notFound' ? 'off' : undefined;
    },
  };
}
