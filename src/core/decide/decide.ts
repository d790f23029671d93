import { maxReservations, type Reservation } from '../../api/ledger.ts';
import type { PassCode } from '../../api/reasons.ts';
import { bit } from '../health.ts';
import { type DisruptionRequest, isRemoval, type Operation } from '../request.ts';
import type { Allowed, Blocker, Charge, Effects, Verdict } from '../verdict.ts';
import type { NamespaceState } from '../world/namespace-state.ts';
import type { PodRecord } from '../world/pod-record.ts';
import type { World } from '../world/world.ts';
import { blocker, deny } from './blocker.ts';
import { cacheStale, ledgerUnknown, notSynced } from './closed.ts';
import { exemptPod, exemptRequest } from './exempt.ts';
import { inOrder, type Judge, type Panel, panelFor } from './judges.ts';
import { opinionOf } from './opinion.ts';
import { othersDown, servesEverybody, versionOf } from './rests-on.ts';
import { vetoOf } from './veto.ts';

export interface DecideOptions {
  /** `pdb`: complete evictions that a PDB of ours judged; `always`: those under PUBs alone, too; `off`: never (P9). */
  readonly takeover?: 'pdb' | 'always' | 'off';
  /** Somebody else's webhook guards evictions, and could refuse after we completed one. */
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
  const exempt = exemptRequest(state, request) ?? (seen ? exemptPod(pod, request) : undefined);
  if (exempt !== undefined) {
    return seen && options.judgePlain === true && stillChecked.has(exempt)
      ? decideBuiltin(pod, request, exempt)
      : pass(exempt);
  }
  if (!seen) return decideUnseen(world, state, pod, request);
  const blind = notSynced(world, pod);
  if (blind !== undefined) return deny([blind]);
  return decideSeen(world, state, pod, request, options);
}

/** What we leave alone, and the built-in check does not. */
const stillChecked: ReadonlySet<PassCode> = new Set<PassCode>(['NamespaceUnguarded', 'WorkloadGone']);

/** The built-in check alone: it counts pods, whatever a budget's annotations say. */
function decideBuiltin(pod: PodRecord, request: DisruptionRequest, exempt: PassCode): Verdict {
  const [pdb] = pod.pdbs;
  if (request.operation !== 'EVICT' || pdb === undefined) return pass(exempt);
  if (pod.pdbs.length > 1) return deny([severalPlain(pod, pod.pdbs.length)]);
  const opinion = opinionOf({ kind: 'pdbPlain', pdb }, pod);
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
  const detail = pod === undefined ? undefined : `the one in view has uid ${pod.uid}, the request means ${request.uid}`;
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
  const panel = withPlain(panelFor(state, pod, request), options);
  if (panel.judges.length === 0 && vetoOf(pod, request, []) === undefined) {
    const plain = plainBlockers(pod, panel, options);
    return plain.length === 0 ? pass('NotProtected') : deny(plain);
  }
  const unknown = ledgerUnknown(world, state, pod);
  if (unknown !== undefined) return deny([unknown]);
  const reserved = state.reservations.get(pod.uid);
  if (reserved !== undefined && covers(reserved, request.operation)) {
    const complete = completion(panel, request, options);
    return pass('AlreadyReserved', { complete, ...counting(complete, plainIn(panel)), confirm: true });
  }
  const stale = cacheStale(world, state, pod);
  if (stale !== undefined) return deny([stale]);
  return asIfUnreserved(state, pod, () => judge(state, pod, request, panel, options));
}

/**
 * A pod that does not run yet serves nothing, so no budget is asked (X1). But it may come up before the API server acts on the
 * answer, and would then be counted by whoever is judged meanwhile: where there are budgets, it is reserved like any other (N5).
 */
function decidePending(
  world: World,
  state: NamespaceState,
  pod: PodRecord,
  request: DisruptionRequest,
  options: DecideOptions,
): Verdict {
  const panel = panelFor(state, pod, request);
  const onlyIf = versionOf(pod);
  if (panel.judges.length === 0) return pass('Pending', vetoOf(pod, request, []) === undefined ? {} : { onlyIf });
  const unknown = ledgerUnknown(world, state, pod);
  if (unknown !== undefined) return deny([unknown]);
  const full = ledgerFull(state, pod);
  if (full !== undefined) return deny([full]);
  const complete = completion(panel, request, options);
  return pass('Pending', { ...reserving(pod, request), complete, onlyIf });
}

/**
 * A removal covers everything that may come after it; an update covers updates. One whose time limit passed covers nothing: it
 * did not happen, and whoever asks again asks anew. So does whoever asks again about one that was made on a condition, which may
 * not have held (L5).
 */
function covers(reserved: Reservation, asked: Operation): boolean {
  if (reserved.conditional === true || reserved.overdue !== undefined) return false;
  return isRemoval(reserved.operation) || !isRemoval(asked);
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

function judge(
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
    const opinion = opinionOf(one, pod);
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
  const complete = completion(panel, request, options);
  return allow(pod, request, { complete, ...counting(complete, counts) }, charges, down);
}

function ledgerFull(state: NamespaceState, pod: PodRecord): Blocker | undefined {
  const { reservations } = state;
  if (reservations.size < maxReservations || reservations.has(pod.uid)) return undefined;
  return blocker('LedgerFull', { pod, detail: String(reservations.size) });
}

function allow(
  pod: PodRecord,
  request: DisruptionRequest,
  completed: Pick<Effects, 'complete' | 'count'>,
  charges: readonly Charge[],
  down: readonly Judge[],
): Allowed {
  const restsOn = othersDown(pod, down);
  return {
    result: 'allow',
    reason: 'WithinBudget',
    charges,
    effects: {
      ...reserving(pod, request),
      ...completed,
      ...(servesEverybody(pod, down) ? {} : { onlyIf: versionOf(pod) }),
      ...(restsOn.length > 0 ? { restsOn } : {}),
    },
  };
}

function reserving(pod: PodRecord, { operation, dryRun }: DisruptionRequest): Pick<Effects, 'reserve'> {
  if (dryRun === true) return {};
  return { reserve: { operation, uid: pod.uid, pod: pod.name, generation: pod.generation } };
}

function completion(panel: Panel, request: DisruptionRequest, options: DecideOptions): Effects['complete'] {
  const takeover = options.takeover ?? 'pdb';
  if (request.operation !== 'EVICT' || request.dryRun === true || request.resourceVersionPrecondition === true)
    return 'pass';
  if (takeover === 'off' || options.foreignEvictionWebhook === true) return 'pass';
  // A budget that cannot be read may say so, too.
  const refused = panel.judges.some((one) => 'pdb' in one && one.pdb.rules?.takeover !== true);
  if (refused) return 'pass';
  const pubAlone = panel.judges.some((one) => one.kind === 'pub') && panel.builtin.length === 0;
  return panel.ownPdb || (takeover === 'always' && pubAlone) ? 'takeover' : 'pass';
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

function pass(reason: PassCode, effects: Partial<Effects> = {}): Allowed {
  return { result: 'allow', reason, charges: [], effects: { complete: 'pass', ...effects } };
}
