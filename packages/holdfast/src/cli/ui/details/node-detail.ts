import type { Charge } from '../../../core/verdict.ts';
import type { LiveWorld } from '../../../observe/once/live-world.ts';
import type { NodeDetail, NodeDetailPod } from '../../../ui/details.ts';
import { explainNode, type NodePod } from '../../explain/explain-node.ts';
import { nodeText } from '../../explain/node-text.ts';
import type { NamedNode } from '../../status/node-view.ts';
import { barKeyOf } from '../overview/budget-bars.ts';
import { hiddenBy } from '../overview/head.ts';
import { nodeState, tileOf, zoneOf } from '../overview/node-tiles.ts';
import { agentNote, blockerNote, command, explained, wordsAt } from './notes.ts';

/** @param access words of a command line that name the cluster */
export function nodeDetail(live: LiveWorld, node: NamedNode, access: readonly string[]): NodeDetail {
  const explanation = explainNode(live, node);
  const { node: view, pods, lease } = explanation;
  const yes = view.later + view.stuck === 0;
  const { readAt: at, gaps } = live;
  return {
    ...explained({
      at,
      yes,
      text: nodeText(explanation, wordsAt(at)),
      refusals: Object.keys(view.reasons),
      gaps,
      commands: [
        command('Explain it in a terminal', ['explain', `node/${node.name}`, ...access]),
        command('Plan its drain', ['plan', node.name, ...access]),
        command('Drain it', ['drain', node.name, '--ignore-daemonsets', '--delete-emptydir-data', ...access]),
      ],
    }),
    node: tileOf(view, zoneOf(node), nodeState(view, hiddenBy(gaps))),
    pods: pods.map(podOf),
    ...(lease === undefined ? {} : { agent: agentNote(lease, at) }),
  };
}

function podOf({ namespace, name, round, charges, blockers }: NodePod): NodeDetailPod {
  const worst = charges.find(({ effect }) => effect === 'breaks') ?? charges[0];
  const budget = worst?.budget ?? blockers.find((one) => one.budget !== undefined)?.budget;
  return {
    namespace,
    name,
    ...(round === undefined ? {} : { round }),
    ...(worst === undefined ? {} : { unit: unitOf(worst) }),
    ...(budget === undefined ? {} : { budget: barKeyOf(budget) }),
    blockers: blockers.map(blockerNote),
  };
}

function unitOf({ unitKind, unit, effect }: Charge): NonNullable<NodeDetailPod['unit']> {
  return { kind: unitKind, name: unit, effect };
}
