import type { ScopeFlags } from './flags.ts';
import type { Session } from './session.ts';

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

export function scopeText(scope: Scope): string {
  if (scope.kind === 'all') return 'all namespaces';
  const [first = '', ...others] = scope.namespaces;
  return others.length === 0 ? `namespace ${first}` : `namespaces ${scope.namespaces.join(', ')}`;
}
