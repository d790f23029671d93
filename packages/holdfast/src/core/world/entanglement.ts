import { GroupNode } from './group-node.ts';
import type { NamespaceState } from './namespace-state.ts';
import { PdbState } from './pdb-state.ts';
import type { PodRecord } from './pod-record.ts';
import type { PubState } from './pub/pub-state.ts';
import { obtain } from './selector-index.ts';

/** What a PDB can share a pod with. */
type Neighbour = PdbState | PubState | GroupNode;

/** Plain PDBs that share pods, directly or through one another. */
interface Component {
  /** One of them shares a pod with a budget that is judged by us. */
  readonly judged: boolean;
}

/**
 * Which plain PDBs share pods with budgets of ours, directly or through other plain PDBs (P2). Kept per pair of budgets, never per
 * verdict: a pod's change costs as much as there are budgets over it, and the search walks from budget to budget, not over pods.
 *
 * The PDBs over one pod form a chain: each is linked to the next. That connects them as well as linking each with each would, and
 * thousands of budgets over one pod cost thousands of links instead of millions. All else over the pod is linked to the first.
 */
export class Entanglement {
  /** How many pods each pair of neighbours shares. PodUnavailableBudgets and groups are ends: nothing leads on from them. */
  readonly #links = new Map<PdbState, Map<Neighbour, number>>();
  /** What the last search found; emptied when a pair of neighbours came or went, or a budget changed its mode. */
  readonly #known = new Map<PdbState, Component>();

  /** The budgets and groups of a pod are complete. */
  link(pod: PodRecord): void {
    this.#chain(pod, 1);
    this.#ends(pod, 1);
  }

  /** The budgets or groups of a pod are about to change. */
  unlink(pod: PodRecord): void {
    this.#chain(pod, -1);
    this.#ends(pod, -1);
  }

  /** One more budget came over a pod, as the last of its kind. */
  join(pod: PodRecord, budget: PdbState | PubState): void {
    if (!(budget instanceof PdbState)) this.#end(pod, budget, 1);
    else if (pod.pdbs[0] === budget) this.#ends(pod, 1);
    else this.#pair(pod.pdbs.at(-2), budget, 1);
  }

  /** One budget is to leave a pod; `leave` takes it out. */
  part(pod: PodRecord, budget: PdbState | PubState, leave: () => void): void {
    if (budget instanceof PdbState) this.#partPdb(pod, budget, leave);
    else {
      this.#end(pod, budget, -1);
      leave();
    }
  }

  #partPdb(pod: PodRecord, pdb: PdbState, leave: () => void): void {
    const place = pod.pdbs.indexOf(pdb);
    const before = pod.pdbs[place - 1];
    const after = pod.pdbs[place + 1];
    if (place === 0) this.#ends(pod, -1);
    this.#pair(before, pdb, -1);
    this.#pair(pdb, after, -1);
    this.#pair(before, after, 1);
    leave();
    if (place === 0) this.#ends(pod, 1);
  }

  /** A budget began or ceased to be plain, or to reach a group. */
  forget(): void {
    this.#known.clear();
  }

  /** Whether we judge a plain PDB: it is entangled with a budget of ours, or the ledger holds an eviction of one of their pods. */
  isJudged(pdb: PdbState, { reservations, pods }: Pick<NamespaceState, 'reservations' | 'pods'>): boolean {
    const component = this.#componentOf(pdb);
    if (component.judged) return true;
    for (const { uid, pod: name, operation } of reservations.values()) {
      if (operation !== 'EVICT') continue;
      const pod = pods.get(name);
      if (pod?.uid === uid && pod.pdbs.some((one) => this.#componentOf(one) === component)) return true;
    }
    return false;
  }

  #chain({ pdbs }: PodRecord, by: 1 | -1): void {
    for (let i = 1; i < pdbs.length; i += 1) this.#pair(pdbs[i - 1], pdbs[i], by);
  }

  #pair(one: PdbState | undefined, other: PdbState | undefined, by: 1 | -1): void {
    if (one === undefined || other === undefined) return;
    this.#add(one, other, by);
    this.#add(other, one, by);
  }

  #ends(pod: PodRecord, by: 1 | -1): void {
    for (const pub of pod.pubs) this.#end(pod, pub, by);
    for (const group of pod.groups) this.#end(pod, group, by);
  }

  #end({ pdbs: [first] }: PodRecord, end: PubState | GroupNode, by: 1 | -1): void {
    if (first === undefined || !(end instanceof GroupNode || end.protects('EVICT'))) return;
    this.#add(first, end, by);
  }

  #add(pdb: PdbState, neighbour: Neighbour, by: 1 | -1): void {
    const links = obtain(this.#links, pdb, () => new Map<Neighbour, number>());
    const before = links.get(neighbour) ?? 0;
    const after = before + by;
    if (after > 0) links.set(neighbour, after);
    else links.delete(neighbour);
    if (links.size === 0) this.#links.delete(pdb);
    // A group that no budget of ours reaches changes no answer; when one comes to reach it, the namespace says so.
    const matters = !(neighbour instanceof GroupNode) || isOurs(neighbour);
    if (matters && (before === 0 || after === 0)) this.forget();
  }

  /** A search that meets a budget of ours ends there; one that does not has seen the whole component. */
  #componentOf(start: PdbState): Component {
    const known = this.#known.get(start);
    if (known !== undefined) return known;
    const seen = new Set([start]);
    const component = { judged: this.#meetsOurs(seen) };
    for (const pdb of seen) this.#known.set(pdb, component);
    return component;
  }

  #meetsOurs(seen: Set<PdbState>): boolean {
    // A set hands out what is added while it is walked.
    for (const pdb of seen) {
      if (isOurs(pdb) || this.#known.get(pdb)?.judged === true) return true;
      for (const neighbour of this.#links.get(pdb)?.keys() ?? []) {
        if (neighbour instanceof PdbState) seen.add(neighbour);
        else if (isOurs(neighbour)) return true;
      }
    }
    return false;
  }
}

/** Whether a pod under this is judged by us when it is evicted. A group is, where a budget that counts groups reaches it (P4). */
function isOurs(budget: Neighbour): boolean {
  if (budget instanceof GroupNode) return [...budget.budgets].some(({ mode }) => mode === 'group');
  return budget instanceof PdbState ? budget.rules === undefined || budget.mode !== 'plain' : true;
}
