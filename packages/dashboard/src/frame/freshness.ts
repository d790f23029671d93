import type { Link } from '../live/connection.ts';
import type { DataState } from '../model.ts';

/** Whether what is shown is current, of both connections: page to server, and server to cluster. */
export type Freshness =
  | { readonly kind: 'live' }
  | { readonly kind: 'reading'; readonly text: string }
  | { readonly kind: 'old'; readonly since: number; readonly title: string; readonly text: string }
  | { readonly kind: 'ended' };

export function freshnessOf(link: Link, data: DataState | undefined): Freshness {
  if (link.kind === 'ended') return { kind: 'ended' };
  if (link.kind === 'lost') {
    return {
      kind: 'old',
      since: link.since,
      title: 'holdfast ui does not answer',
      text: 'Check that it still runs in its terminal. This page reconnects by itself.',
    };
  }
  if (data === undefined) return { kind: 'reading', text: 'connecting' };
  if (data.kind === 'stale') {
    return {
      kind: 'old',
      since: data.since,
      title: 'The API server does not answer',
      text: `${data.why}. Everything below is as it was then; holdfast ui keeps trying.`,
    };
  }
  if (data.kind === 'reading') return { kind: 'reading', text: `reading ${data.waitingFor.join(', ')}` };
  return { kind: 'live' };
}
