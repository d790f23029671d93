import type { WhatIfRequest } from '../../model.ts';
import type { Draft } from './draft.ts';

export type Asked =
  | { readonly kind: 'request'; readonly request: WhatIfRequest }
  /** Something is missing, in words. */
  | { readonly kind: 'incomplete'; readonly why: string };

/** What is filled in, as the server takes it. */
export function requestOf(draft: Draft): Asked {
  const seconds = Number(draft.nodeSeconds);
  const waits = draft.kind === 'upgrade' || draft.kind === 'plan';
  if (waits && !(Number.isInteger(seconds) && seconds >= 0)) {
    return { kind: 'incomplete', why: 'The time per node is a whole number of seconds.' };
  }
  const what = whatOf(draft);
  if (typeof what === 'string') return { kind: 'incomplete', why: what };
  const changes = draft.changes.trim();
  return {
    kind: 'request',
    request: { what, ...(changes === '' ? {} : { changes }), ...(waits ? { nodeSeconds: seconds } : {}) },
  };
}

function whatOf({ kind, nodes, zone, maxUnavailable }: Draft): WhatIfRequest['what'] | string {
  switch (kind) {
    case 'drain':
      return nodes.size === 0 ? 'Choose at least one node.' : { kind, nodes: [...nodes].sort() };
    case 'plan':
      return nodes.size === 0 ? { kind } : { kind, nodes: [...nodes].sort() };
    case 'zone':
      return zone === '' ? 'Choose a zone.' : { kind, zone };
    case 'upgrade':
      return /^[1-9]\d*%?$/.test(maxUnavailable.trim())
        ? { kind, maxUnavailable: maxUnavailable.trim() }
        : 'The number of nodes at once is a number or a percentage, such as 2 or 25%.';
  }
}
