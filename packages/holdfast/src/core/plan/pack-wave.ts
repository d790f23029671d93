import type { Charge } from '../verdict.ts';
import { obtain } from '../world/selector-index.ts';
import type { BudgetAllowance, BudgetAllowances } from './losses.ts';
import type { Mover } from './movers.ts';
import type { Overlay } from './overlay.ts';
import type { Room } from './room.ts';
import type { DrainCandidate, Site } from './site.ts';

/** A node's part in a wave that is being put together. */
interface Member {
  readonly candidate: DrainCandidate;
  readonly surge: boolean;
  readonly rounds: PackedRound[];
  left: readonly Mover[];
}

interface PackedRound {
  readonly movers: readonly Mover[];
  /** For every unit that goes down, the charge of the pod that breaks it. */
  readonly charges: readonly Charge[];
  /** The groups that are down without these pods, whichever pod broke them. */
  readonly groups: ReadonlySet<string>;
}

export interface PackedWave {
  readonly members: readonly Pick<Member, 'candidate' | 'surge' | 'rounds'>[];
  /** Nodes that had to stay behind for want of room, with the first pod that found none. */
  readonly noRoom: ReadonlyMap<string, Mover>;
}

/**
 * Puts as many nodes into a wave as go together, in this order. Every node is drained in as many rounds as it takes alone, so those
 * that go at once alone go at once here. The engine is asked about every pod; the overlay is left at rest.
 */
export class WavePacker {
  readonly #overlay: Overlay;
  readonly #allowances: BudgetAllowances;
  readonly #room: Room | undefined;
  readonly #maxSurge: number;
  readonly #members: Member[] = [];
  readonly #spent = new Map<BudgetAllowance, Set<string>>();
  readonly #noRoom = new Map<string, Mover>();
  #surged = 0;

  constructor(
    { overlay, allowances, options }: Pick<Site, 'overlay' | 'allowances' | 'options'>,
    room: Room | undefined,
  ) {
    this.#overlay = overlay;
    this.#allowances = allowances;
    this.#room = room;
    this.#maxSurge = options.maxSurge;
  }

  pack(candidates: Iterable<DrainCandidate>, atMost: number): PackedWave {
    for (const candidate of candidates) if (this.#members.length < atMost) this.#offer(candidate);
    this.#overlay.backTo(0);
    for (let round = 2; this.#members.some(({ left }) => left.length > 0); round += 1) this.#continue(round);
    return { members: this.#members, noRoom: this.#noRoom };
  }

  #offer(candidate: DrainCandidate): void {
    const { name, alone } = candidate;
    if (this.#room?.isHosting(name) || this.#overspends(candidate)) return;
    const before = this.#overlay.size;
    const first = this.#drain(alone.order, alone.rounds === 1);
    const surge = first === undefined ? undefined : this.#makeRoom(candidate);
    if (first === undefined || surge === undefined) {
      this.#overlay.backTo(before);
      return;
    }
    this.#note(first.charges);
    this.#members.push({ candidate, surge, rounds: [first], left: first.left });
  }

  /** Spares the engine the question where the answer is certain: these units alone are more than the budget has left. */
  #overspends({ alone }: DrainCandidate): boolean {
    if (alone.rounds > 1) return false;
    const fresh = new Map<BudgetAllowance, number>();
    for (const { allowance, unit } of alone.losses) {
      const spent = this.#spent.get(allowance);
      if (spent?.has(unit)) continue;
      const count = (fresh.get(allowance) ?? 0) + 1;
      if ((spent?.size ?? 0) + count > allowance.allowed) return true;
      fresh.set(allowance, count);
    }
    return false;
  }

  /** Takes the pods away that may go now; undefined when all should, and one may not. */
  #drain(movers: readonly Mover[], allOrNothing: boolean): (PackedRound & { left: readonly Mover[] }) | undefined {
    const taken: Mover[] = [];
    const left: Mover[] = [];
    const charges: Charge[] = [];
    const groups = new Set<string>();
    for (const mover of movers) {
      const verdict = this.#overlay.ask(mover.pod);
      if (verdict.result === 'deny') {
        if (allOrNothing) return undefined;
        left.push(mover);
        continue;
      }
      this.#overlay.take(mover.pod);
      taken.push(mover);
      for (const charge of verdict.charges) {
        if (charge.effect === 'breaks') charges.push(charge);
        if (charge.effect !== 'surplus' && charge.unitKind === 'group') groups.add(groupName(charge));
      }
    }
    return { movers: taken, charges, groups, left };
  }

  /** Whether it needs its replacement beforehand; undefined when there is no room either way. */
  #makeRoom({ name, alone }: DrainCandidate): boolean | undefined {
    if (this.#room === undefined) return false;
    const homeless = this.#room.vacate(name, alone.order, false);
    if (homeless === undefined) return false;
    if (this.#surged < this.#maxSurge && this.#room.vacate(name, alone.order, true) === undefined) {
      this.#surged += 1;
      return true;
    }
    this.#noRoom.set(name, homeless);
    return undefined;
  }

  #note(charges: readonly Charge[]): void {
    for (const charge of charges) {
      const allowance = this.#allowances.allowanceOf(charge);
      if (allowance !== undefined) obtain(this.#spent, allowance, () => new Set<string>()).add(charge.unit);
    }
  }

  /** Another round for the nodes that need it. One that would have to wait for the others leaves the wave. */
  #continue(round: number): void {
    for (const member of [...this.#members]) {
      if (member.left.length === 0) continue;
      const next = this.#drain(member.left, false);
      if (next === undefined) continue;
      member.rounds.push(next);
      member.left = next.left;
      if (next.left.length > 0 && round >= member.candidate.alone.rounds) this.#drop(member);
    }
    this.#overlay.backTo(0);
  }

  #drop(member: Member): void {
    this.#members.splice(this.#members.indexOf(member), 1);
    this.#room?.stay(member.candidate.name);
    if (member.surge) this.#surged -= 1;
  }
}

/** Of one namespace; two budgets that count the same group mean the same. */
export function groupName({ budget, unit }: Charge): string {
  return `${budget.namespace}/${unit}`;
}
