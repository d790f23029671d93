import { sameJson } from '@holdfast/base/json';
import { maxReservations, type Reservation } from '../../api/ledger.ts';
import type { PassCode } from '../../api/refusals/reasons.ts';
import { bit } from '../health.ts';
import { recordChange } from '../ledger/change-record.ts';
import { type DisruptionRequest, isRemoval } from '../request.ts';
import type { Allowed, Blocker, Charge, Effects, JudgedPod, Verdict } from '../verdict.ts';
import { maxBudgetsPerPod } from '../world/crowding.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { World } from '../world/world.ts';
import { evaluate } from './evaluate.ts';
import { cacheStale, exemptPod, exemptRequest, ledgerUnknown, notSynced, vetoOf } from './gates.ts';
import {
  concernsCrowded,
  digestsOf,
  inOrder,
  type Judge,
  othersDown,
  type Panel,
  panelFor,
  servesEverybody,
  versionOf,
  wasJudgedBy,
} from './judges.ts';
import { blocker, deny } from './refusal.ts';

export interface DecideOptions {
  /** `on`, the default: we complete the evictions that a budget of ours judged; `off`: never (P9). */
  readonly takeover?: 'on' | 'off';
  /** A foreign webhook guards evictions, and could refuse one after we completed it. */
  readonly foreignEvictionWebhook?: boolean;
  /** Also ask the plain PDBs that the built-in check asks after us: what a person wants to know before a drain. */
  readonly judgePlain?: boolean;
}

/** May this pod be disrupted now, and why. The world is left as it was, but for leases that ran out by `now`. */
export function decide(world: World, request: DisruptionRequest, now: number, options: DecideOptions = {}): Verdict {
  world.advance(now);
  const state = world.namespace(request.namespace);
  const pod = state?.pods.get(request.pod);
  const seen = state !== undefined && pod !== undefined && (request.uid === undefined || request.uid === pod.uid);
  const exempt = exemptRequest(state, request) ?? (seen ? exemptPod(state, pod, request) : undefined);
  if (exempt !== undefined) {
    return seen && options.judgePlain === true && stillChecked.has(exempt)
      ? decideBuiltin(pod, request, exempt)
      : pass(exempt, seen ? exemptEffects(state, pod, request) : undefined);
  }
  if (!seen) return decideUnseen(world, state, pod, request);
  const blind = notSynced(world, pod);
  if (blind !== undefined) return deny([blind]);
  return decideSeen(world, state, pod, request, options);
}

/** An eviction that nothing judges, because of what its pod is: a successor of the same name would be judged, so the pod is named (P9). */
function exemptEffects(state: NamespaceState, pod: PodRecord, request: DisruptionRequest): Effects | undefined {
  if (request.operation !== 'EVICT' || state.terminating || state.unguarded) return undefined;
  const { judges } = panelFor(state, pod, request);
  const isProtected = judges.length > 0 || pod.has(bit.probed);
  return isProtected ? { complete: 'pass', target: targetOf(pod) } : undefined;
}

/** What we leave alone, and the built-in check does not. */
const stillChecked: ReadonlySet<PassCode> = new Set<PassCode>(['NamespaceUnguarded', 'WorkloadGone']);

/** The built-in check alone: it counts pods, whatever a budget's annotations say. */
function decideBuiltin(pod: PodRecord, request: DisruptionRequest, exempt: PassCode): Verdict {
  const [pdb] = pod.pdbs;
  if (request.operation !== 'EVICT' || pdb === undefined) return pass(exempt);
  if (pod.pdbs.length > 1) return deny([severalPlain(pod, pod.pdbs.length)]);
  const opinion = evaluate({ kind: 'pdbPlain', pdb }, pod);
  return opinion.agrees ? { ...pass(exempt), charges: [opinion.charge] } : deny([opinion.blocker]);
}

/** A pod that is not in the view. Without a budget in its namespace only an eviction's veto could concern it. */
function decideUnseen(
  world: World,
  state: NamespaceState | undefined,
  pod: PodRecord | undefined,
  request: DisruptionRequest,
): Verdict {
  const name = { name: request.pod };
  const blind = notSynced(world, name);
  if (blind !== undefined) return deny([blind]);
  if (request.operation !== 'EVICT' && (state === undefined || state.pubs.size === 0)) return pass('NotProtected');
  const detail =
    pod === undefined
      ? undefined
      : `it sees a pod of that name with uid ${pod.uid}, and the request means uid ${request.uid}`;
  return deny([blocker('PodUnknown', { pod: name, ...(detail === undefined ? {} : { detail }) })]);
}

function decideSeen(
  world: World,
  state: NamespaceState,
  pod: PodRecord,
  request: DisruptionRequest,
  options: DecideOptions,
): Verdict {
  if (pod.has(bit.pending)) return decidePending(world, state, pod, request, options);
  if (pod.crowdedBy > 0 && concernsCrowded(state, pod, request)) {
    const detail = `${pod.crowdedBy} budgets cover it, and at most ${maxBudgetsPerPod} are counted for one pod`;
    return deny([blocker('TooManyBudgets', { pod, detail })]);
  }
  const ownPanel = panelOf(state, pod, request);
  const panel = withPlain(ownPanel, options);
  if (panel.judges.length === 0 && vetoOf(pod, request, []) === undefined) {
    const plain = plainBlockers(pod, panel, options);
    return plain.length === 0 ? pass('NotProtected') : deny(plain);
  }
  const unknown = ledgerUnknown(world, state, pod);
  if (unknown !== undefined) return deny([unknown]);
  const reserved = state.reservations.get(pod.uid);
  if (reserved !== undefined && covers(state, reserved, pod, request, ownPanel.judges)) {
    const completed = completing(pod, panel, request, options, plainIn(panel));
    return pass('AlreadyReserved', { ...completed, ...amending(state, pod, request, reserved) });
  }
  const stale = cacheStale(world, state, pod);
  if (stale !== undefined) return deny([stale]);
  return asIfUnreserved(state, pod, () => evaluateAll(state, pod, request, panel, options));
}

/** Of a pod whose workload is scaled to 0 only those budgets are asked that say a total of their own (X4). */
function panelOf(state: NamespaceState, pod: PodRecord, request: DisruptionRequest): Panel {
  const panel = panelFor(state, pod, request);
  if (!pod.idle) return panel;
  const judges = panel.judges.filter((one) => 'pub' in one && one.pub.overridesScale);
  return { judges, builtin: request.operation === 'EVICT' ? pod.pdbs : [] };
}

/**
 * A pod that does not run yet serves nothing, so no budget is asked (X1). But it may come up before the API server acts on the
 * answer, and requests that are decided meanwhile would count on it: where there are budgets, it is reserved like any other (N5).
 */
function decidePending(
  world: World,
  state: NamespaceState,
  pod: PodRecord,
  request: DisruptionRequest,
  options: DecideOptions,
): Verdict {
  const panel = panelOf(state, pod, request);
  const onlyIf = versionOf(pod);
  if (panel.judges.length === 0) {
    const isFree = vetoOf(pod, request, []) === undefined && pod.crowdedBy === 0;
    return pass('Pending', isFree ? undefined : { complete: 'pass', onlyIf });
  }
  const unknown = ledgerUnknown(world, state, pod);
  if (unknown !== undefined) return deny([unknown]);
  const full = ledgerFull(state, pod);
  if (full !== undefined) return deny([full]);
  // Without a kubelet a deletion is done at once: after a takeover the API server would answer the eviction with 404.
  const completed: Completing =
    pod.node === undefined ? { complete: 'pass', target: targetOf(pod) } : completing(pod, panel, request, options);
  // It rests on a version, so it answers no other request and need not say what it was judged by.
  return pass('Pending', { ...reserving(state, pod, request, undefined), ...completed, onlyIf });
}

/**
 * A removal covers every later operation; an update covers updates. A reservation whose time limit passed covers nothing: the
 * disruption did not happen. Neither does a conditional one, whose condition may not have held (L5). And a reservation speaks only
 * for the budgets that it was judged by, and while no probe objects (I14): a budget that was frozen since must be asked.
 */
function covers(
  state: NamespaceState,
  reserved: Reservation,
  pod: PodRecord,
  request: DisruptionRequest,
  judges: readonly Judge[],
): boolean {
  if (reserved.conditional === true || reserved.overdue !== undefined) return false;
  if (!isRemoval(reserved.operation) && isRemoval(request.operation)) return false;
  if (!wasJudgedBy(reserved, judges) || vetoOf(pod, request, judges) !== undefined) return false;
  return !asIfUnreserved(state, pod, () => judges.some((one) => isWithheldBy(one, pod)));
}

/** A probe of another pod of its unit says no (H5). */
function isWithheldBy(judge: Judge, pod: PodRecord): boolean {
  const opinion = evaluate(judge, pod);
  return !opinion.agrees && opinion.blocker.code === 'UnitWithheld';
}

/** Judges a pod whose reservation does not cover the request as if it had none (L5). */
function asIfUnreserved<T>(state: NamespaceState, pod: PodRecord, ask: () => T): T {
  const { reserved } = pod;
  if (reserved === undefined) return ask();
  const set = (as: PodRecord['reserved']) =>
    state.recount(pod, () => {
      pod.reserved = as;
    });
  set(undefined);
  const answer = ask();
  set(reserved);
  return answer;
}

function evaluateAll(
  state: NamespaceState,
  pod: PodRecord,
  request: DisruptionRequest,
  panel: Panel,
  options: DecideOptions,
): Verdict {
  const blockers: Blocker[] = [];
  const charges: Charge[] = [];
  /** Those that agree because the unit is down. */
  const down: Judge[] = [];
  const counts: Judge[] = [];
  const veto = vetoOf(pod, request, panel.judges);
  if (veto !== undefined) blockers.push(veto);
  for (const one of panel.judges) {
    const opinion = evaluate(one, pod);
    if (!opinion.agrees) blockers.push(opinion.blocker);
    else {
      charges.push(opinion.charge);
      if (opinion.charge.effect === 'down') down.push(one);
      if (opinion.counts === true) counts.push(one);
    }
  }
  blockers.push(...plainBlockers(pod, panel, options));
  const full = blockers.length === 0 ? ledgerFull(state, pod) : undefined;
  if (full !== undefined) blockers.push(full);
  if (blockers.length > 0) return deny(blockers);
  const completed = completing(pod, panel, request, options, counts);
  return allow(state, pod, request, { judgedBy: digestsOf(panel.judges), completed, charges, down });
}

function ledgerFull(state: NamespaceState, pod: PodRecord): Blocker | undefined {
  const { reservations } = state;
  if (reservations.size < maxReservations || reservations.has(pod.uid)) return undefined;
  return blocker('LedgerFull', { pod, detail: String(reservations.size) });
}

interface Agreed {
  readonly judgedBy: readonly string[] | undefined;
  readonly completed: Completing;
  readonly charges: readonly Charge[];
  readonly down: readonly Judge[];
}

function allow(
  state: NamespaceState,
  pod: PodRecord,
  request: DisruptionRequest,
  { judgedBy, completed, charges, down }: Agreed,
): Allowed {
  const restsOn = othersDown(pod, down);
  return {
    result: 'allow',
    reason: 'WithinBudget',
    charges,
    effects: {
      ...reserving(state, pod, request, judgedBy),
      ...completed,
      ...(servesEverybody(pod, down) ? {} : { onlyIf: versionOf(pod) }),
      ...(restsOn.length > 0 ? { restsOn } : {}),
    },
  };
}

function reserving(
  state: NamespaceState,
  pod: PodRecord,
  { operation, dryRun, change }: DisruptionRequest,
  judgedBy: readonly string[] | undefined,
): Pick<Effects, 'reserve'> {
  if (dryRun === true) return {};
  const { uid, name } = pod;
  const before = state.reservations.get(uid);
  // A removal that comes to nothing leaves behind what it replaced: an update may still be under way.
  const record = isRemoval(operation) || change === undefined ? before?.change : recordChange(change, before);
  const generation = change?.generation ?? pod.generation;
  return {
    reserve: {
      operation,
      uid,
      pod: name,
      generation,
      ...(record === undefined ? {} : { change: record }),
      ...(judgedBy === undefined ? {} : { judgedBy }),
    },
  };
}

/** An update that an earlier one covers is recorded with it: the reservation is for both. A repeated one changes nothing. */
function amending(
  state: NamespaceState,
  pod: PodRecord,
  request: DisruptionRequest,
  reserved: Reservation,
): Pick<Effects, 'reserve' | 'confirm'> {
  const { reserve } = isRemoval(reserved.operation) ? {} : reserving(state, pod, request, reserved.judgedBy);
  if (reserve?.change === undefined || sameJson(reserve.change, reserved.change)) return { confirm: true };
  return { reserve: reserved.operation === 'UPDATE' ? { ...reserve, operation: 'UPDATE' } : reserve };
}

interface Completing {
  readonly complete: Effects['complete'];
  readonly target: JudgedPod;
  readonly count?: readonly string[];
}

/** @param counts plain PDBs from whose own counters the eviction is to be taken */
function completing(
  pod: PodRecord,
  panel: Panel,
  request: DisruptionRequest,
  options: DecideOptions,
  counts: readonly Judge[] = [],
): Completing {
  const complete = completionOf(panel, request, options);
  return { complete, target: targetOf(pod), ...counting(complete, counts) };
}

function targetOf({ name, uid }: PodRecord): JudgedPod {
  return { pod: name, uid };
}

/** An Eviction names a pod, not a uid: only a deletion by uid is sure to meet the pod that was judged (P9). */
function completionOf(panel: Panel, request: DisruptionRequest, options: DecideOptions): Effects['complete'] {
  if (request.operation !== 'EVICT' || request.dryRun === true || request.resourceVersionPrecondition === true)
    return 'pass';
  if (options.takeover === 'off' || options.foreignEvictionWebhook === true) return 'pass';
  // A budget that cannot be read may have it disabled, too.
  const disabled = panel.judges.some((one) => ('pdb' in one ? one.pdb : one.pub).rules?.takeover !== true);
  // A deletion passes by the budgets that only the built-in check asks.
  return panel.judges.length === 0 || panel.builtin.length > 0 || disabled ? 'pass' : 'takeover';
}

/** A takeover passes by the built-in check, and takes from the counters in its place. Without one, the check takes from them itself. */
function counting(complete: Effects['complete'], judges: readonly Judge[]): Pick<Effects, 'count'> {
  if (complete === 'pass' || judges.length === 0) return {};
  return { count: judges.flatMap((one) => ('pdb' in one ? [one.pdb.ref.name] : [])) };
}

/** What is reserved firmly served when it was judged, so that each of them counts it. */
function plainIn({ judges }: Panel): readonly Judge[] {
  return judges.filter((one) => one.kind === 'pdbPlain' && one.entangled === true);
}

/** Those who asked about plain PDBs hear what the built-in check would say, after us. */
function withPlain(panel: Panel, options: DecideOptions): Panel {
  const [pdb] = panel.builtin;
  if (options.judgePlain !== true || pdb === undefined || panel.builtin.length > 1) return panel;
  return { ...panel, judges: inOrder([...panel.judges, { kind: 'pdbPlain', pdb }]) };
}

/** Two plain PDBs on one pod are a 500 of the eviction API. */
function severalPlain(pod: PodRecord, count: number): Blocker {
  return blocker('SeveralPlainBudgets', { pod, detail: String(count) });
}

function plainBlockers(pod: PodRecord, panel: Panel, options: DecideOptions): readonly Blocker[] {
  const count = panel.builtin.length;
  return options.judgePlain === true && count > 1 ? [severalPlain(pod, count)] : [];
}

function pass(reason: PassCode, effects: Effects = { complete: 'pass' }): Allowed {
  return { result: 'allow', reason, charges: [], effects };
}
