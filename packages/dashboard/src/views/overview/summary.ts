import type { UiHead } from '../../model.ts';
import type { IconName } from '../../parts/icon.tsx';
import { counted, numberText } from '../../words/counts.ts';

export interface Fact {
  readonly icon: IconName;
  readonly tone: string;
  readonly text: string;
}

/** The one line that a person wants first. */
export function headline({ counts, data }: UiHead): string {
  if (data.kind === 'reading' && counts.nodes.total === 0) return 'Reading the cluster';
  return `${budgetsText(counts.budgets)}, ${nodesText(counts.nodes)}`;
}

function budgetsText({ total, blocked }: UiHead['counts']['budgets']): string {
  if (total === 0) return 'No budgets';
  if (blocked === 0) return `${counted(total, 'budget')}, none blocks`;
  return `${numberText(blocked)} of ${counted(total, 'budget')} ${blocked === 1 ? 'blocks' : 'block'}`;
}

function nodesText(nodes: UiHead['counts']['nodes']): string {
  if (nodes.total === 0) return 'no nodes';
  return `${numberText(nodes['can-go-now'])} of ${counted(nodes.total, 'node')} can be drained now`;
}

/** What stands below it: whether the answers can be relied on. */
export function facts({ counts, operator }: UiHead): readonly Fact[] {
  const { groups, pods } = counts;
  return [
    operatorFact(operator),
    ...agentsFact(operator),
    ...(groups.total === 0
      ? []
      : [
          groups.down === 0
            ? { icon: 'now' as const, tone: 'now', text: `${counted(groups.total, 'group')}, all up` }
            : {
                icon: 'warning' as const,
                tone: 'later',
                text: `${numberText(groups.down)} of ${counted(groups.total, 'group')} down`,
              },
        ]),
    { icon: 'now', tone: 'plain', text: counted(pods, 'pod') },
  ];
}

function operatorFact({ state }: UiHead['operator']): Fact {
  switch (state) {
    case 'ok':
      return { icon: 'now', tone: 'now', text: 'operator ok' };
    case 'warning':
      return { icon: 'warning', tone: 'later', text: 'operator ok, with warnings' };
    case 'failed':
      return { icon: 'blocked', tone: 'blocked', text: 'operator failed' };
    case 'absent':
      return { icon: 'unknown', tone: 'unknown', text: "no operator: Kubernetes' own check decides" };
    case 'unknown':
      return { icon: 'unknown', tone: 'unknown', text: 'operator not visible with your rights' };
  }
}

function agentsFact({ agents }: UiHead['operator']): readonly Fact[] {
  if (agents === undefined) return [];
  const { fresh, total } = agents;
  const text = `agents: ${numberText(fresh)} of ${numberText(total)} fresh`;
  return [fresh === total ? { icon: 'now', tone: 'now', text } : { icon: 'warning', tone: 'later', text }];
}
