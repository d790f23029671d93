import type { ComponentChildren, JSX } from 'preact';
import { hashOf, type Route } from '../routes.ts';

export function Link({
  to,
  children,
  ...rest
}: {
  readonly to: Route;
  readonly children: ComponentChildren;
  readonly class?: string;
}): JSX.Element {
  return (
    <a href={hashOf(to)} {...rest}>
      {children}
    </a>
  );
}

/** @param budget a key of the model: `pdb/namespace/name` */
export function budgetRoute(budget: string): Route {
  const [kind = '', namespace = '', name = ''] = budget.split('/');
  return { view: 'budget', kind, namespace, name };
}

export function BudgetLink({ budget }: { readonly budget: string }): JSX.Element {
  return <Link to={budgetRoute(budget)}>{budget}</Link>;
}

export function NodeLink({ name }: { readonly name: string }): JSX.Element {
  return <Link to={{ view: 'node', name }}>{name}</Link>;
}

export function PodLink({ namespace, name }: { readonly namespace: string; readonly name: string }): JSX.Element {
  return (
    <Link to={{ view: 'pod', namespace, name }}>
      {namespace}/{name}
    </Link>
  );
}
