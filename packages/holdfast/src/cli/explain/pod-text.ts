import type { Reservation } from '../../api/ledger.ts';
import type { Operation } from '../../core/request.ts';
import type { Blocker, BudgetRef } from '../../core/verdict.ts';
import { ageText } from '../output/age.ts';
import type { Paint } from '../output/paint.ts';
import { budgetKindText } from '../status/status-text.ts';
import { type Asked, enforces } from './answer.ts';
import { budgetNumbersText, budgetTitle, downText, unitText } from './budget-words.ts';
import type { BudgetOpinion, OwnerView, PodExplanation } from './explain-pod.ts';
import { fields, section } from './layout.ts';
import type { ProbeReport } from './pod-health.ts';

export interface WordsOptions {
  readonly paint: Paint;
  /** To say how long ago something was. */
  readonly now: number;
}

const words: Readonly<Record<Operation, string>> = {
  EVICT: 'evicted',
  DELETE: 'deleted',
  UPDATE: 'changed so that it restarts',
  RESIZE: 'resized',
};

export function podText(explanation: PodExplanation, { paint, now }: WordsOptions): string {
  const { pod, answer, reservations } = explanation;
  const where = pod.node === undefined ? 'on no node' : `on ${pod.node}`;
  const done = words[explanation.operation];
  const may = answer.may ? paint('good', `may be ${done} now`) : paint('bad', `may not be ${done} now`);
  const title = `${paint('strong', `Pod ${pod.namespace}/${pod.name}`)} ${where}: ${may}.`;
  return [
    `${title}\n${indent(whyLines(explanation))}`,
    section('The pod', fields(podFields(explanation, now)), paint),
    section('Budgets', budgetLines(explanation), paint),
    ...(reservations.length === 0
      ? []
      : [
          section(
            'Under way',
            reservations.map((one) => reservationText(one, now)),
            paint,
          ),
        ]),
    section("Kubernetes' own check", [builtinText(explanation)], paint),
    ...(explanation.operation === 'EVICT'
      ? [section('The API server, asked with a dry run', apiLines(explanation, paint), paint)]
      : []),
  ].join('\n\n');
}

function whyLines({ answer, holdfast, kubernetes }: PodExplanation): readonly string[] {
  const { verdict, asked } = holdfast;
  if (enforces(asked) && verdict.result === 'deny') return verdict.blockers.flatMap(blockerLines);
  const besides =
    answer.by === 'kubernetes' && asked.kind === 'no' ? [`Kubernetes' own check decides: ${kubernetes.text}`] : [];
  const ifAsked =
    asked.kind === 'no' && verdict.result === 'deny' ? [`If it were asked, it would refuse: ${verdict.message}`] : [];
  const observed = asked.kind === 'observed' && verdict.result === 'deny' ? verdict.blockers.flatMap(blockerLines) : [];
  return [answer.text, ...besides, ...ifAsked, ...observed];
}

export function blockerLines({ code, message, unblock }: Blocker): readonly string[] {
  return [`${code}: ${message}`, `  what helps: ${unblock}`];
}

function podFields(explanation: PodExplanation, now: number): readonly (readonly [string, string])[] {
  const { pod, owners, probe, holdfast, reservations } = explanation;
  const { asked, otherWebhooks } = holdfast;
  const own = reservations.find(({ uid }) => uid === pod.uid);
  return [
    ['health', pod.down === undefined ? 'counts as up' : `does not count as up: it ${pod.down}`],
    ['ready', pod.ready ? 'yes' : 'no'],
    ['probe', probe === undefined ? 'none: it counts as up while it is ready' : probeText(probe, now)],
    ['owners', owners.length === 0 ? 'none' : owners.map(ownerText).join(' <- ')],
    ['reserved', own === undefined ? 'no' : reservationText(own, now)],
    ['guarded', guardedText(asked)],
    ...(otherWebhooks.length === 0
      ? []
      : [['others asked', `${otherWebhooks.join(', ')}: Holdfast completes no eviction here`] as const]),
  ];
}

function guardedText(asked: Asked): string {
  return asked.kind === 'yes' ? 'yes: Holdfast is asked' : `${asked.kind}: ${asked.why}`;
}

function ownerText({ kind, name, state, replicas }: OwnerView): string {
  if (state === 'known') return `${kind} ${name}${replicas === undefined ? '' : ` (wants ${replicas})`}`;
  return `${kind} ${name} (${state === 'gone' ? 'does not exist' : 'not known'})`;
}

function probeText({ valid, disruptable, lease }: ProbeReport, now: number): string {
  if (!valid) return 'cannot be read, and counts as a no';
  const word =
    disruptable === undefined
      ? 'its agent has not probed it yet'
      : `Disruptable is ${disruptable.status}${sinceText(disruptable.since, now)}`;
  const said = disruptable?.message === undefined || disruptable.message === '' ? '' : ` (${disruptable.message})`;
  return `${word}${said}; ${leaseText(lease)}`;
}

function sinceText(since: string | undefined, now: number): string {
  return since === undefined ? '' : ` for ${ageText(now - Date.parse(since))}`;
}

function leaseText(lease: ProbeReport['lease']): string {
  if (lease === undefined) return 'no agent on its node has a lease, so the probe counts as a no';
  const { holder, state, by, listsPod, ageSeconds } = lease;
  if (state === 'ahead')
    return `the lease of ${holder} is from the future: a clock is wrong, and the probe counts as a no`;
  const age = `renewed ${ageText(Math.max(0, ageSeconds) * 1_000)} ago${by === 'seen' ? '' : ', by its own clock'}`;
  if (state === 'expired') return `the lease of ${holder} has expired (${age}), so the probe counts as a no`;
  return listsPod
    ? `${holder} confirms it (${age})`
    : `${holder} is alive (${age}) and does not list the pod as disruptable`;
}

export function reservationText({ pod, operation, time, conditional, overdue }: Reservation, now: number): string {
  const age = ageText(now - Date.parse(time));
  const sure = conditional === true ? ', on a condition' : '';
  const late = overdue === undefined ? '' : ', past its time limit';
  return `${operation.toLowerCase()} of ${pod}, allowed ${age} ago and not seen to have happened yet${sure}${late}`;
}

function budgetLines({ budgets, silent, operation }: PodExplanation): readonly string[] {
  if (budgets.length + silent.length === 0) return ['none covers it'];
  return [...budgets.flatMap(budgetOpinionLines), ...silent.map((ref) => silentText(ref, operation))];
}

function silentText({ kind, name }: BudgetRef, operation: Operation): string {
  const covers = `${budgetKindText(kind)}/${name} covers it, but`;
  if (kind === 'PodUnavailableBudget') return `${covers} does not judge ${nouns[operation]}`;
  return operation === 'EVICT' ? `${covers} does not judge this eviction` : `${covers} PDBs judge evictions only`;
}

const nouns: Readonly<Record<Operation, string>> = {
  EVICT: 'evictions',
  DELETE: 'deletes',
  UPDATE: 'updates',
  RESIZE: 'resizes',
};

function budgetOpinionLines(one: BudgetOpinion): readonly string[] {
  return [
    `${budgetTitle(one)}: ${budgetNumbersText(one)}`,
    ...(one.group === undefined
      ? []
      : [`  its ${unitText(one.group)}`, ...downText(one.group.down).map((line) => `    ${line}`)]),
    `  ${opinionText(one)}`,
  ];
}

const effects = {
  surplus: 'yes: the group keeps enough pods without it',
  down: 'yes: the unit is down already',
  breaks: 'yes: the unit goes down, and the budget allows one more',
} as const;

function opinionText({ effect, refusal, builtin }: BudgetOpinion): string {
  const who = builtin ? 'says (to the built-in check alone)' : 'says';
  if (refusal !== undefined) return `${who} no, ${refusal.code}: ${refusal.unblock}`;
  return effect === undefined ? 'counts it as deleted already' : `${who} ${effects[effect]}`;
}

function builtinText({ kubernetes }: PodExplanation): string {
  return `would ${kubernetes.allows ? 'allow' : 'refuse'} it: ${kubernetes.text}`;
}

function apiLines({ api }: PodExplanation, paint: Paint): readonly string[] {
  const { said, comparison } = api;
  switch (said.kind) {
    case 'skipped':
      return ['not asked'];
    case 'denied':
      return [`you may not ask: ${said.why}`, 'it needs the right to create pods/eviction'];
    case 'failed':
      return [`no answer: ${said.why}`];
    case 'allowed':
    case 'refused': {
      const answer = said.kind === 'allowed' ? 'allows it' : `refuses it (${said.code ?? 'no code'}): ${said.message}`;
      if (comparison.kind === 'disagrees')
        return [answer, paint('bad', `disagrees with the above: ${comparison.text}`)];
      const why = comparison.kind === 'agrees' && comparison.text !== undefined ? `: ${comparison.text}` : '';
      return [answer, `as expected${why}`];
    }
  }
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}
