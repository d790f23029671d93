import type { Namespace } from '@holdfast/base/meta';
import { label } from '../../api/names.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { resources } from '../resources.ts';

/** Values of the guard label, which the webhooks' namespaceSelectors read. The operator sets the first where there is no label; people set the others. */
export const guardedValue = 'enabled';
export const observedValue = 'observe';

/** What Holdfast does about requests in a namespace: `observe` judges them and lets all pass; `off` does nothing. */
export type GuardMode = 'enforce' | 'observe' | 'off';

export function labelledMode(namespace: Namespace): GuardMode {
  const value = guardLabel(namespace);
  if (value === guardedValue) return 'enforce';
  return value === observedValue ? 'observe' : 'off';
}

/** @param observesAll no request is refused in any namespace */
export function modeOf(namespace: Namespace, observesAll: boolean): GuardMode {
  const labelled = labelledMode(namespace);
  return labelled === 'enforce' && observesAll ? 'observe' : labelled;
}

export function guardLabel({ metadata }: Namespace): string | undefined {
  return metadata.labels?.[label.guard];
}

/** Where the operator and the cluster itself come back up, no request may depend on the operator. */
export function isNeverGuarded(namespace: string, own: string): boolean {
  return namespace === 'kube-system' || namespace === own;
}

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
  /** Whether no request is refused in any namespace. */
  readonly enforcement: { readonly observesAll: boolean };
}

export function kubeGuards({ client, namespaces, own, enforcement }: GuardParts): NamespaceGuards {
  const modeIn = (namespace: Namespace) => modeOf(namespace, enforcement.observesAll);
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
