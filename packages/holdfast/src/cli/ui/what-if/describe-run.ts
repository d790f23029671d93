import type { DrainPlan } from '../../../core/plan/plan-result.ts';
import type { WhatIfLane, WhatIfPlan, WhatIfRun } from '../../../ui/what-if.ts';
import { stuckLines } from '../../plan/plan-text.ts';
import { isFinished, type SimulationResult } from '../../simulate/simulation-result.ts';
import { outcomeText } from '../../simulate/texts/outcome-text.ts';
import { assumptionsText } from '../../simulate/texts/simulate-text.ts';
import { timelineLines } from '../../simulate/texts/timeline-text.ts';
import { barKeyOf } from '../overview/budget-bars.ts';

/** More lines than a person reads; the HTML report has more of them. */
const maxEvents = 2_000;

export function planShape({ waves, never, lowerBound, seconds }: DrainPlan): WhatIfPlan {
  return {
    waves: waves.map((wave) => ({
      nodes: wave.nodes.map(({ name, pods, rounds, groups }) => ({ name, pods, rounds, groups })),
      budgets: wave.budgets.map(({ budget, unitKind, broken, available, desired, atLimit }) => {
        return { budget: barKeyOf(budget), unit: unitKind, broken, available, desired, atLimit };
      }),
      seconds: wave.seconds,
    })),
    never: never.map((stuck) => ({ node: stuck.node, why: stuckLines(stuck).join('\n') })),
    atLeast: lowerBound.waves,
    seconds,
  };
}

export function runShape(result: SimulationResult): WhatIfRun {
  const { verdict, facts, alarms } = outcomeText(result);
  const events = timelineLines(result.timeline).map(({ at, text }) => ({ at, text }));
  return {
    finished: isFinished(result),
    verdict,
    facts,
    alarms,
    assumptions: assumptionsText(result.assumptions),
    notes: result.notes,
    durationMs: result.durationMs,
    nodes: result.nodes,
    lanes: lanesOf(result),
    events: events.slice(0, maxEvents),
    eventsLeftOut: Math.max(0, events.length - maxEvents),
    unfinished: [...result.unfinished, ...result.pending].map(({ pod, why }) => {
      return { pod: `${pod.namespace}/${pod.name}`, why };
    }),
  };
}

/** The lanes of the timeline of what happened: nodes, budgets, groups. */
function lanesOf({ nodes, budgets, groups }: SimulationResult): readonly WhatIfLane[] {
  const drains = nodes.flatMap(({ name, begun, drained }): readonly WhatIfLane[] => {
    if (begun === undefined) return [];
    const span = { from: begun, ...(drained === undefined ? {} : { to: drained }) };
    return [{ kind: 'nodeDraining', title: name, spans: [span] }];
  });
  const limits = budgets.map(({ budget, atLimit }): WhatIfLane => {
    return { kind: 'budgetAtLimit', title: barKeyOf(budget), spans: atLimit };
  });
  const down = groups.map(({ namespace, name, down: spans }): WhatIfLane => {
    return { kind: 'unitDown', title: `group ${namespace}/${name}`, spans };
  });
  return [...drains, ...limits, ...down].filter(({ spans }) => spans.length > 0);
}
