import type { Pod } from '../../../api/pod.ts';
import type { BlockedPod } from '../../../core/drain/simulate.ts';
import type { BudgetRef } from '../../../core/verdict.ts';
import type { World } from '../../../core/world/world.ts';
import type { Touched } from '../../../observe/view/touched.ts';
import { byKeyOf, isSame } from '../../../ui/delta.ts';
import type { BudgetBar, GroupRow, NodeTile, RefusalRow, UiModel } from '../../../ui/model.ts';
import type { NamedNode } from '../../status/node-view.ts';
import { type BudgetFacts, barKeyOf, barOf, budgetAt, budgetFacts } from './budget-bars.ts';
import { Drains } from './drains.ts';
import { type ConfirmedAt, groupRows } from './group-rows.ts';
import { type HeadFacts, headOf } from './head.ts';
import { type Hidden, judgeNode, unjudgedTile } from './node-tiles.ts';
import { PodsOnNodes } from './pods-on-nodes.ts';
import { Timeline } from './timeline.ts';

export interface OverviewDeps {
  readonly world: World;
  /** The nodes there are; undefined: they may not be read, and those are shown on which pods run. */
  readonly nodes: () => ReadonlyMap<string, NamedNode> | undefined;
  readonly confirmedAt: ConfirmedAt;
}

/** What is not computed from the world. */
export interface ClusterFacts extends HeadFacts {
  readonly hidden: Hidden;
  /** Everything was read that judging depends on. */
  readonly isRead: boolean;
  readonly refusals: readonly RefusalRow[];
}

/** More groups than a page can show at once are in the details of their budgets. */
const maxGroups = 300;
const maxDots = 100;

interface Budget {
  readonly facts: BudgetFacts;
  readonly bar: BudgetBar;
  /** Groups of it that are down, by name. */
  readonly down: readonly string[];
}

/**
 * Keeps the model like the world. What a change touches is only noted; `work` computes it again, for no longer than it is given,
 * so that a change of one pod costs as much as its budgets have pods, and never holds up the requests of pages.
 */
export class Overview implements Touched {
  readonly pods: PodsOnNodes;
  readonly timeline = new Timeline();
  readonly #deps: OverviewDeps;
  readonly #drains: Drains;
  readonly #budgets = new Map<string, Budget>();
  readonly #tiles = new Map<string, NodeTile>();
  /** Of nodes that were not judged yet. */
  readonly #unjudged = new Map<string, NodeTile>();
  readonly #dirtyBudgets = new Map<string, BudgetRef>();
  readonly #dirtyNodes = new Set<string>();
  /** Nodes with a refusal that passes in a moment, perhaps without any object changing. */
  readonly #momentary = new Set<string>();
  #isBegun = false;

  constructor(deps: OverviewDeps) {
    this.#deps = deps;
    this.pods = new PodsOnNodes(deps.world);
    this.#drains = new Drains(deps.world);
  }

  /** Something waits to be computed. */
  get isDirty(): boolean {
    return this.#dirtyBudgets.size + this.#dirtyNodes.size > 0;
  }

  budgets(refs: Iterable<BudgetRef>): void {
    for (const ref of refs) this.#dirtyBudgets.set(barKeyOf(ref), ref);
  }

  namespace(name: string): void {
    const state = this.#deps.world.namespace(name);
    for (const { ref } of [...(state?.pdbs.values() ?? []), ...(state?.pubs.values() ?? [])]) this.budgets([ref]);
    for (const { bar, facts } of this.#budgets.values()) if (bar.namespace === name) this.budgets([facts.view.budget]);
    for (const { node } of state?.pods.values() ?? [])
      if (node !== undefined && node !== '') this.#dirtyNodes.add(node);
  }

  /** @param pod undefined: many pods may have changed */
  podSeen(pod: Pod | undefined, now: number): void {
    if (pod === undefined) {
      this.pods.rebuild();
      this.everything();
      return;
    }
    const { from, to } = this.pods.changed(pod);
    if (from !== undefined) this.#dirtyNodes.add(from);
    if (to !== undefined) this.#dirtyNodes.add(to);
    if (from !== undefined && to === undefined) this.#drains.left(from, now);
  }

  node(name: string): void {
    this.#dirtyNodes.add(name);
  }

  /** What was refused only because something was not known yet is to be computed again. */
  again(): void {
    for (const name of this.#momentary) this.#dirtyNodes.add(name);
    this.#momentary.clear();
  }

  /** Everything is to be computed again. */
  everything(): void {
    this.#unjudged.clear();
    for (const state of this.#deps.world.namespaces()) this.namespace(state.name);
    for (const name of this.#deps.nodes()?.keys() ?? this.pods.nodes()) this.#dirtyNodes.add(name);
    for (const name of this.#tiles.keys()) this.#dirtyNodes.add(name);
  }

  /** The first look is over: what begins from now on, begins now. */
  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.timeline.begin();
    this.#drains.begin();
  }

  /** Computes what is noted. @param isOver asked after each step; always false: everything is done */
  work(now: number, hidden: Hidden, isOver: () => boolean): void {
    for (const [key, ref] of this.#dirtyBudgets) {
      this.#dirtyBudgets.delete(key);
      this.#judgeBudget(key, ref, now);
      if (isOver()) return;
    }
    for (const name of this.#dirtyNodes) {
      this.#dirtyNodes.delete(name);
      this.#judgeNode(name, hidden, now);
      if (isOver()) return;
    }
  }

  /** @param revision of the model that comes of it */
  model(now: number, around: ClusterFacts, revision: number): UiModel {
    const nodes = this.#nodeTiles();
    const budgets = [...this.#budgets.values()].map(({ bar }) => bar).sort(byKeyOf);
    const groups = this.#groupRows(budgets);
    const total = this.#groupCounts();
    const counts = { pods: this.pods.count, groups: total };
    return {
      head: headOf({ around, nodes, budgets, counts, groupsLeftOut: total.total - groups.length, revision }),
      nodes,
      budgets,
      groups,
      drains: this.#drains.list(),
      lanes: this.timeline.lanes(now),
      refusals: around.refusals,
    };
  }

  #judgeBudget(key: string, ref: BudgetRef, now: number): void {
    const { world } = this.#deps;
    const kind = ref.kind === 'PodDisruptionBudget' ? 'pdb' : 'pub';
    const state = budgetAt(world, kind, ref.namespace, ref.name);
    const facts = state === undefined ? undefined : budgetFacts(world, state, now);
    if (state === undefined || facts === undefined) {
      this.#noteDown(key, ref.namespace, [], now);
      this.timeline.note(now, 'budgetAtLimit', key, key, false);
      this.#budgets.delete(key);
      return;
    }
    for (const { node } of state.pods) if (node !== undefined && node !== '') this.#dirtyNodes.add(node);
    this.timeline.note(now, 'budgetAtLimit', key, key, facts.view.blocked !== undefined);
    const down = facts.view.unit === 'group' ? facts.view.down : [];
    this.#noteDown(key, ref.namespace, down, now);
    const span = this.timeline.since('budgetAtLimit', key);
    const bar = barOf(facts, { since: span?.from ?? now, sinceStart: span?.fromStart === true });
    const before = this.#budgets.get(key)?.bar;
    this.#budgets.set(key, { facts, bar: before !== undefined && isSame(before, bar) ? before : bar, down });
  }

  #noteDown(key: string, namespace: string, down: readonly string[], now: number): void {
    const isDown = new Set(down);
    const note = (name: string, isSo: boolean) =>
      this.timeline.note(now, 'unitDown', `${key}/${name}`, `group ${namespace}/${name}`, isSo);
    for (const name of this.#budgets.get(key)?.down ?? []) if (!isDown.has(name)) note(name, false);
    for (const name of down) note(name, true);
  }

  #judgeNode(name: string, hidden: Hidden, now: number): void {
    const { world, nodes } = this.#deps;
    this.#unjudged.delete(name);
    const pods = this.pods.drained(name);
    const known = nodes();
    const node = known === undefined ? (pods.length === 0 ? undefined : { name }) : known.get(name);
    if (node === undefined) {
      this.#tiles.delete(name);
      this.#drains.forget(name);
      this.timeline.note(now, 'nodeDraining', name, name, false);
      return;
    }
    const { tile, drained } = judgeNode(world, { node, pods, hidden }, now);
    const before = this.#tiles.get(name);
    if (before === undefined || !isSame(before, tile)) this.#tiles.set(name, tile);
    if (drained.waiting.some(isMomentary)) this.#momentary.add(name);
    this.#drains.look(name, tile.cordoned === true, drained, now);
    this.timeline.note(now, 'nodeDraining', name, name, tile.state === 'draining');
  }

  /** Nodes that were not judged yet are shown as unknown: a large cluster is drawn before all of it is judged. */
  #nodeTiles(): readonly NodeTile[] {
    const tiles = [...this.#tiles.values()];
    for (const name of this.#dirtyNodes) {
      if (this.#tiles.has(name)) continue;
      const tile = this.#unjudged.get(name) ?? this.#unjudgedTile(name);
      if (tile !== undefined) tiles.push(tile);
    }
    return tiles.sort(byKeyOf);
  }

  #unjudgedTile(name: string): NodeTile | undefined {
    const known = this.#deps.nodes();
    const node = known === undefined ? { name } : known.get(name);
    if (node === undefined) return undefined;
    const tile = unjudgedTile(node, this.pods.drained(name).length);
    this.#unjudged.set(name, tile);
    return tile;
  }

  #groupCounts(): { readonly total: number; readonly down: number } {
    let total = 0;
    let down = 0;
    for (const { facts, down: names } of this.#budgets.values()) {
      if (facts.view.unit !== 'group') continue;
      total += this.#stateOf(facts)?.units.size ?? 0;
      down += names.length;
    }
    return { total, down };
  }

  #groupRows(bars: readonly BudgetBar[]): readonly GroupRow[] {
    const { confirmedAt } = this.#deps;
    const blockedFirst = bars.toSorted((a, b) => Number(b.blocked !== undefined) - Number(a.blocked !== undefined));
    const rows: GroupRow[] = [];
    for (const { key, unit } of blockedFirst) {
      if (rows.length >= maxGroups) break;
      const facts = this.#budgets.get(key)?.facts;
      const state = facts === undefined || unit !== 'group' ? undefined : this.#stateOf(facts);
      if (state === undefined) continue;
      rows.push(...groupRows(state, { confirmedAt, maxRows: maxGroups - rows.length, maxDots }));
    }
    return rows.sort(byKeyOf);
  }

  #stateOf({ view: { budget } }: BudgetFacts) {
    const kind = budget.kind === 'PodDisruptionBudget' ? 'pdb' : 'pub';
    return budgetAt(this.#deps.world, kind, budget.namespace, budget.name);
  }
}

function isMomentary({ blockers }: BlockedPod): boolean {
  return blockers.some(({ outlook }) => outlook === 'moment');
}
