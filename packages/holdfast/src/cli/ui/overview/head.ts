import { counted } from '../../../api/wording.ts';
import type { Gap } from '../../../observe/once/gap.ts';
import type {
  BudgetBar,
  ClusterHead,
  DataState,
  GapNote,
  NodeState,
  NodeTile,
  OperatorHead,
  SummaryCounts,
  UiHead,
} from '../../../ui/model.ts';
import { summaryText } from '../../status/summary.ts';
import type { Hidden } from './node-tiles.ts';

/** What the head says that does not come from the world. */
export interface HeadFacts {
  readonly cluster: ClusterHead;
  readonly operator: OperatorHead;
  readonly data: DataState;
  readonly gaps: readonly GapNote[];
  readonly remarks: readonly string[];
  readonly recordedSince: number;
}

export interface HeadParts {
  readonly around: HeadFacts;
  readonly nodes: readonly NodeTile[];
  readonly budgets: readonly BudgetBar[];
  readonly counts: Pick<SummaryCounts, 'pods' | 'groups'>;
  readonly groupsLeftOut: number;
  readonly revision: number;
}

export function headOf({ around, nodes, budgets, counts, groupsLeftOut, revision }: HeadParts): UiHead {
  const { cluster, operator, data, gaps, remarks, recordedSince } = around;
  const states = statesOf(nodes);
  const blocked = budgets.filter((bar) => bar.blocked !== undefined).length;
  return {
    revision,
    cluster,
    summary: sentenceOf({ nodes, total: budgets.length, blocked, operator, unknown: states.unknown }),
    counts: { budgets: { total: budgets.length, blocked }, nodes: { total: nodes.length, ...states }, ...counts },
    operator,
    data,
    gaps,
    remarks,
    groupsLeftOut: Math.max(0, groupsLeftOut),
    recordedSince,
  };
}

function statesOf(nodes: readonly NodeTile[]): Readonly<Record<NodeState, number>> {
  const states = { 'can-go-now': 0, 'after-recovery': 0, blocked: 0, draining: 0, drained: 0, unknown: 0 };
  for (const { state } of nodes) states[state] += 1;
  return states;
}

interface SentenceFacts {
  readonly nodes: readonly NodeTile[];
  readonly total: number;
  readonly blocked: number;
  readonly operator: OperatorHead;
  readonly unknown: number;
}

/** The sentence of `holdfast status`, of the nodes that were judged. */
function sentenceOf({ nodes, total, blocked, operator, unknown }: SentenceFacts): string {
  const judged = nodes.filter(({ state }) => state !== 'unknown');
  const stuck = judged.filter((tile) => tile.stuck > 0).length;
  const now = judged.filter(({ later, stuck: never }) => later + never === 0).length;
  const counts = { total: nodes.length, now, afterRecovery: judged.length - now - stuck, blocked: stuck };
  const text = summaryText({ budgets: { total, blocked }, nodes: counts, operator: operator.state });
  return unknown === 0 ? text : `${text} | ${counted(unknown, 'node')} not judged`;
}

export function gapNote({ what, why, follows, right }: Gap): GapNote {
  return { what, why, follows, hidesEverything: right?.hides === 'all' };
}

export function hiddenBy(gaps: readonly Gap[]): Hidden {
  const codes = new Set<string>();
  let everything = false;
  for (const { right } of gaps) {
    if (right === undefined) continue;
    if (right.hides === 'all') everything = true;
    else for (const code of right.hides) codes.add(code);
  }
  return { everything, codes };
}
