/** Where the reader is. Kept in the hash, so that a link can be sent to a colleague who runs `holdfast ui` as well. */
export type Route =
  | { readonly view: 'overview' }
  | { readonly view: 'node'; readonly name: string }
  | { readonly view: 'budget'; readonly kind: string; readonly namespace: string; readonly name: string }
  | { readonly view: 'pod'; readonly namespace: string; readonly name: string }
  | { readonly view: 'drains' }
  | { readonly view: 'whatIf'; readonly nodes: readonly string[] }
  | { readonly view: 'unknown'; readonly hash: string };

/** @param hash as in `location.hash`, with or without its `#` */
export function routeOf(hash: string): Route {
  const path = hash.replace(/^#?\/?/, '');
  const parts = decoded(path === '' ? [] : path.split('/'));
  if (parts === undefined) return { view: 'unknown', hash };
  const [view, ...rest] = parts;
  const [first = '', second = '', third = ''] = rest;
  if (view === undefined) return { view: 'overview' };
  if (view === 'drains' && rest.length === 0) return { view: 'drains' };
  if (view === 'what-if') return { view: 'whatIf', nodes: rest };
  if (view === 'node' && rest.length === 1) return { view: 'node', name: first };
  if (view === 'pod' && rest.length === 2) return { view: 'pod', namespace: first, name: second };
  if (view === 'budget' && rest.length === 3) return { view: 'budget', kind: first, namespace: second, name: third };
  return { view: 'unknown', hash };
}

export function hashOf(route: Route): string {
  switch (route.view) {
    case 'overview':
      return '#/';
    case 'drains':
      return '#/drains';
    case 'whatIf':
      return linked('what-if', ...route.nodes);
    case 'node':
      return linked('node', route.name);
    case 'pod':
      return linked('pod', route.namespace, route.name);
    case 'budget':
      return linked('budget', route.kind, route.namespace, route.name);
    case 'unknown':
      return '#/';
  }
}

function linked(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

/** Undefined: it was not encoded by this page. */
function decoded(parts: readonly string[]): readonly string[] | undefined {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
