import type { NodeState, NodeTile } from '../../model.ts';
import { nodeStates } from '../../words/states.ts';

export type NodeRow =
  | {
      readonly kind: 'zone';
      readonly zone: string;
      readonly counts: Readonly<Record<NodeState, number>>;
      readonly total: number;
    }
  | { readonly kind: 'tiles'; readonly zone: string; readonly first: number; readonly tiles: readonly NodeTile[] };

export interface NodeFilter {
  /** Empty: all. */
  readonly states: ReadonlySet<NodeState>;
  readonly text: string;
}

export function matching(nodes: readonly NodeTile[], { states, text }: NodeFilter): readonly NodeTile[] {
  const wanted = text.trim().toLowerCase();
  return nodes.filter(
    ({ key, zone, state }) =>
      (states.size === 0 || states.has(state)) &&
      (wanted === '' || key.toLowerCase().includes(wanted) || zone.toLowerCase().includes(wanted)),
  );
}

/** Nodes by zone, in rows of so many: what a list of rows shows. Within a zone the states that need attention come first. */
export function nodeRows(nodes: readonly NodeTile[], columns: number): readonly NodeRow[] {
  const byZone = zonesOf(nodes);
  const zones = [...byZone.keys()].sort();
  return zones.flatMap((zone) => {
    const tiles = attentionFirst(byZone.get(zone) ?? []);
    const rows: NodeRow[] = [{ kind: 'zone', zone, counts: countStates(tiles), total: tiles.length }];
    for (let first = 0; first < tiles.length; first += columns) {
      rows.push({ kind: 'tiles', zone, first, tiles: tiles.slice(first, first + columns) });
    }
    return rows;
  });
}

function zonesOf(nodes: readonly NodeTile[]): ReadonlyMap<string, readonly NodeTile[]> {
  const byZone = new Map<string, NodeTile[]>();
  for (const node of nodes) {
    const tiles = byZone.get(node.zone);
    if (tiles === undefined) byZone.set(node.zone, [node]);
    else tiles.push(node);
  }
  return byZone;
}

export function countStates(nodes: readonly NodeTile[]): Readonly<Record<NodeState, number>> {
  const counts = { 'can-go-now': 0, 'after-recovery': 0, blocked: 0, draining: 0, drained: 0, unknown: 0 };
  for (const { state } of nodes) counts[state] += 1;
  return counts;
}

const rank = new Map(nodeStates.map((state, index) => [state, index]));

/** A few nodes stay where they are, so that a reader finds them again; of many, those that need attention must not be far down. */
const manyNodes = 60;

function attentionFirst(nodes: readonly NodeTile[]): readonly NodeTile[] {
  if (nodes.length <= manyNodes) return nodes;
  return nodes.toSorted((a, b) => (rank.get(a.state) ?? 0) - (rank.get(b.state) ?? 0));
}

/** `3 pods, 2 now, 1 blocked`: what stands on a tile, and what is read out. */
export function tileText({ state, pods, now, later, stuck }: NodeTile): string {
  if (state === 'drained') return 'empty';
  if (pods === 0) return 'no pods';
  if (state === 'unknown') return `${pods} ${pods === 1 ? 'pod' : 'pods'}`;
  if (stuck > 0) return `${stuck} of ${pods} blocked`;
  if (later > 0) return `${now} of ${pods} now`;
  return `${pods} ${pods === 1 ? 'pod' : 'pods'}`;
}
