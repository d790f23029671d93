import type { Condition } from '@holdfast/base/meta';
import type { LiveWorld } from '../../../observe/once/live-world.ts';
import type { PodBudget, PodDetail, PodProbe } from '../../../ui/details.ts';
import { budgetNumbersText, budgetTitle, unitText } from '../../explain/budget-words.ts';
import { type BudgetOpinion, explainPod, type PodExplanation } from '../../explain/explain-pod.ts';
import { podText } from '../../explain/pod-text.ts';
import { budgetKindText } from '../../status/status-text.ts';
import { barKeyOf } from '../overview/budget-bars.ts';
import { probeAnswer } from '../overview/group-rows.ts';
import { agentNote, askedNote, blockerNote, command, explained, reservationNote, wordsAt } from './notes.ts';

export interface PodDetailFacts {
  readonly live: LiveWorld;
  readonly namespace: string;
  readonly name: string;
  readonly conditions: readonly Condition[];
  /** Words of a command line that name the cluster. */
  readonly access: readonly string[];
}

/** Undefined: there is no such pod. The API server is not asked: also a dry run of an eviction would be a write. */
export function podDetail({ live, namespace, name, conditions, access }: PodDetailFacts): PodDetail | undefined {
  const said = { kind: 'skipped' } as const;
  const explanation = explainPod(live, { namespace, name, operation: 'EVICT', conditions, said });
  if (explanation === undefined) return undefined;
  const { pod, answer, holdfast, kubernetes, budgets, owners, reservations } = explanation;
  const { verdict, asked } = holdfast;
  const { readAt: at, gaps } = live;
  const blockers = verdict.result === 'deny' ? verdict.blockers : [];
  const probe = probeOf(live, explanation);
  return {
    ...explained({
      at,
      yes: answer.may,
      text: podText(explanation, wordsAt(at)),
      refusals: asked.kind === 'no' ? [] : blockers.map(({ code }) => code),
      gaps,
      commands: [command('Explain it in a terminal', ['explain', `pod/${name}`, '-n', namespace, ...access])],
    }),
    pod: {
      namespace,
      name,
      ...(pod.node === undefined ? {} : { node: pod.node }),
      ready: pod.ready,
      ...(pod.down === undefined ? {} : { down: pod.down }),
    },
    by: answer.by,
    asked: askedNote(asked),
    holdfast: {
      may: verdict.result === 'allow',
      reason: verdict.result === 'allow' ? verdict.reason : verdict.message,
      blockers: blockers.map(blockerNote),
    },
    kubernetes: { may: kubernetes.allows, text: kubernetes.text },
    budgets: budgets.map(budgetOf),
    owners: owners.map(({ kind, name: owner, replicas }) => {
      return { kind, name: owner, ...(replicas === undefined ? {} : { replicas }) };
    }),
    ...(probe === undefined ? {} : { probe }),
    reservations: reservations.map(reservationNote),
  };
}

function budgetOf(opinion: BudgetOpinion): PodBudget {
  const { budget, group, effect, refusal } = opinion;
  return {
    key: barKeyOf(budget),
    kind: budgetKindText(budget.kind),
    name: budget.name,
    title: budgetTitle(opinion),
    numbers: budgetNumbersText(opinion),
    ...(group === undefined ? {} : { group: unitText(group) }),
    ...(effect === undefined ? {} : { effect }),
    ...(refusal === undefined ? {} : { refusal: blockerNote(refusal) }),
  };
}

function probeOf({ world, readAt }: LiveWorld, { pod, probe }: PodExplanation): PodProbe | undefined {
  const record = world.pod(pod.namespace, pod.name);
  const answer = record === undefined ? undefined : probeAnswer(record);
  if (probe === undefined || answer === undefined) return undefined;
  const { disruptable, lease } = probe;
  const since = Date.parse(disruptable?.since ?? '');
  return {
    answer,
    ...(Number.isNaN(since) ? {} : { since }),
    ...(disruptable?.message === undefined ? {} : { message: disruptable.message }),
    ...(lease === undefined ? {} : { agent: { ...agentNote(lease, readAt), listsPod: lease.listsPod } }),
  };
}
