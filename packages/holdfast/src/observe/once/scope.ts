import type { Session } from '../session.ts';

/** Which namespaces are meant. */
export type Scope = { readonly kind: 'all' } | { readonly kind: 'some'; readonly namespaces: readonly string[] };

export const everywhere: Scope = { kind: 'all' };

export function only(...namespaces: readonly string[]): Scope {
  return { kind: 'some', namespaces };
}

/** What a command line says about it. */
export interface ScopeFlags {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
}

/** As kubectl has it: -A, else -n, else the namespace of the kubeconfig. */
export function scopeOf({ allNamespaces, namespace }: ScopeFlags, session: Pick<Session, 'namespace'>): Scope {
  return allNamespaces === true ? everywhere : only(namespace ?? session.namespace);
}
