import type { AgentNote, AskedNote, NodeDetailPod, UnitEffect } from '../../model.ts';

const effects: Readonly<Record<UnitEffect, string>> = {
  breaks: 'goes down',
  surplus: 'stays up without it',
  down: 'is down already',
};

export function effectText(effect: UnitEffect): string {
  return effects[effect];
}

/** When a drain of the node could evict the pod. */
export function roundText(round: number | undefined): string {
  if (round === undefined) return 'blocked';
  return round === 1 ? 'now' : `round ${round}, after recovery`;
}

/** What its eviction takes down. Of a blocked pod the refusal says it. */
export function unitText({ unit, round }: NodeDetailPod): string {
  if (unit !== undefined) return `${unit.kind} ${unit.name} ${effects[unit.effect]}`;
  return round === undefined ? '' : 'no unit';
}

const outlooks: Readonly<Record<string, string>> = {
  moment: 'It passes by itself in a moment.',
  wait: 'Waiting can help.',
  change: 'Waiting does not help: something has to be changed.',
};

/** Whether waiting helps; words that this page does not know are shown as they are. */
export function outlookText(outlook: string): string {
  return outlooks[outlook] ?? outlook;
}

export function askedText({ kind, why }: AskedNote): string {
  const because = why === undefined ? '' : `: ${why}`;
  switch (kind) {
    case 'yes':
      return 'The API server asks Holdfast here.';
    case 'observed':
      return `Holdfast only observes here${because}.`;
    case 'no':
      return `The API server does not ask Holdfast here${because}.`;
    case 'unknown':
      return `Whether the API server asks Holdfast here cannot be seen with your rights${because}.`;
  }
}

const agentStates: Readonly<Record<AgentNote['state'], string>> = {
  fresh: 'reports in time',
  expired: 'does not report any more',
  ahead: 'reports with a clock that is ahead',
};

export function agentText({ holder, state }: AgentNote): string {
  return `${holder} ${agentStates[state]}`;
}
