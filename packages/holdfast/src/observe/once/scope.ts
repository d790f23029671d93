import type { ScopeFlags } from '../../cli/live/flags.ts';
import type { Session } from '../../cli/live/session.ts';

/** Which namespaces are meant. */
export type Scope = { readonly kind: 'all' } | { readonly kind: 'some'; readonly namespaces: readonly string[] };

export const everywhere: Scope = { kind: 'all' };

export function only(...namespaces: readonly string[]): Scope {
  return { kind: 'some', namespaces };
}

/** As kubectl has it: -A, else -n, else the namespace of the kubeconfig. */
export function scopeOf({ allNamespaces, namespace }: ScopeFlags, session: Pick<Session, 'namespace'>): Scope {
  return allNamespaces === true ? everywhere : only(namespace ?? session.namespace);
}
