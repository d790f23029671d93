import { compareStrings } from '../compare.ts';
import type { BlockedPod } from '../drain/simulate.ts';
import type { Charge, Verdict } from '../verdict.ts';
import type { BudgetAllowances, LostUnit } from './losses.ts';
import type { Mover } from './movers.ts';
import type { Overlay } from './overlay.ts';

/** What draining one node takes when no other one is drained. */
export type Alone =
  | {
      readonly ok: true;
      /** Its pods in an order that the engine accepts. */
      readonly order: readonly Mover[];
      /** How often it has to wait for pods to be back, and one more. */
      readonly rounds: number;
      /** The units that are certain to go down: with all pods at once, or, where these take several rounds, with one of them alone. */
      readonly losses: readonly LostUnit[];
    }
  | { readonly ok: false; readonly stuck: readonly BlockedPod[] };

/** Drains a node in thought, round by round; the overlay is left at rest. */
export function drainAlone(overlay: Overlay, movers: readonly Mover[], allowances: BudgetAllowances): Alone {
  const atOnce = drainRound(overlay, movers);
  overlay.backTo(0);
  // The order of the evictions matters only where a budget refuses one.
  if (atOnce.refused.length === 0) {
    return { ok: true, order: movers, rounds: 1, losses: lossesOf(overlay, atOnce.charges, allowances) };
  }
  const atRest = movers.map((mover) => ({ mover, verdict: overlay.ask(mover.pod) }));
  const order: Mover[] = [];
  let left: readonly Mover[] = inGoodOrder(atRest);
  let rounds = 0;
  for (; left.length > 0; rounds += 1) {
    const round = drainRound(overlay, left);
    overlay.backTo(0);
    if (round.taken.length === 0) return { ok: false, stuck: round.refused.map(({ blocked }) => blocked) };
    order.push(...round.taken);
    left = round.refused.map(({ mover }) => mover);
  }
  const charges = atRest.flatMap(({ mover, verdict }) => chargesOf(mover, verdict));
  return { ok: true, order, rounds, losses: lossesOf(overlay, charges, allowances) };
}

type Charged = readonly [Mover, Charge];

function chargesOf(mover: Mover, verdict: Verdict): readonly Charged[] {
  return verdict.result === 'allow' ? verdict.charges.map((charge) => [mover, charge]) : [];
}

function lossesOf(overlay: Overlay, charges: readonly Charged[], allowances: BudgetAllowances): readonly LostUnit[] {
  const losses = charges
    .filter(([, charge]) => charge.effect === 'breaks')
    .map(([mover, charge]) => allowances.lossOf(charge, () => overlay.ask(mover.pod)));
  return [...new Set(losses)];
}

interface Round {
  readonly taken: readonly Mover[];
  readonly refused: readonly { readonly mover: Mover; readonly blocked: BlockedPod }[];
  readonly charges: readonly Charged[];
}

function drainRound(overlay: Overlay, movers: readonly Mover[]): Round {
  const taken: Mover[] = [];
  const refused: { mover: Mover; blocked: BlockedPod }[] = [];
  const charges: Charged[] = [];
  for (const mover of movers) {
    const verdict = overlay.ask(mover.pod);
    if (verdict.result === 'allow') {
      taken.push(mover);
      charges.push(...chargesOf(mover, verdict));
      overlay.take(mover.pod);
    } else {
      const { namespace, name } = mover.pod;
      refused.push({ mover, blocked: { pod: { namespace, name }, blockers: verdict.blockers } });
    }
  }
  return { taken, refused, charges };
}

/** Pods that cost nothing first, then unit by unit, so that a group that breaks anyway goes whole. */
function inGoodOrder(atRest: readonly { readonly mover: Mover; readonly verdict: Verdict }[]): readonly Mover[] {
  return atRest
    .map(({ mover, verdict }) => ({ mover, ...costOf(verdict) }))
    .sort((a, b) => a.rank - b.rank || compareStrings(a.unit, b.unit))
    .map(({ mover }) => mover);
}

function costOf(verdict: Verdict): { readonly rank: number; readonly unit: string } {
  if (verdict.result === 'deny') return { rank: 4, unit: '' };
  const broken = verdict.charges.find((charge) => charge.effect === 'breaks');
  if (broken !== undefined) return { rank: 3, unit: `${broken.budget.kind}/${broken.budget.name}/${broken.unit}` };
  const effects = new Set(verdict.charges.map((charge) => charge.effect));
  return { rank: effects.has('surplus') ? 2 : Number(effects.has('down')), unit: '' };
}
