import { Command } from 'commander';
import { KindReader } from '../../../observe/once/kind-reader.ts';
import { Problem } from '../../../observe/problem.ts';
import type { Session } from '../../../observe/session.ts';
import { type LiveFlags, withLiveFlags, withSelectorFlag } from '../../live/flags.ts';
import { withSession } from '../../live/session.ts';
import { noNodeHas } from '../../no-nodes.ts';
import { removeStage } from './node-conditions.ts';
import { findNodes, uncordon } from './nodes.ts';

interface UncordonOptions extends LiveFlags {
  readonly selector?: string;
}

const help = `
Does what kubectl uncordon does, and removes the conditions DrainInProgress and Drained that holdfast drain wrote.`;

export function uncordonCommand(): Command {
  const command = new Command('uncordon')
    .description('let pods be scheduled to nodes again, after a drain')
    .argument('[node...]', 'names of nodes');
  return withLiveFlags(withSelectorFlag(command, 'nodes'))
    .addHelpText('after', help)
    .action(async (names: readonly string[], options: UncordonOptions) => {
      if (names.length > 0 === (options.selector !== undefined)) {
        throw new Problem('name nodes, or choose them with -l SELECTOR', 'holdfast uncordon --help');
      }
      await withSession(options, (session) => uncordonAll(session, names, options.selector));
    });
}

async function uncordonAll(session: Session, names: readonly string[], selector: string | undefined): Promise<void> {
  const found = await findNodes(new KindReader(session), names, selector);
  if (found.length === 0) throw noNodeHas(selector ?? '');
  for (const node of found) {
    if (node.cordoned) await uncordon(session, node);
    process.stdout.write(`node/${node.name} ${node.cordoned ? 'uncordoned' : 'was not cordoned'}\n`);
    const removed = await removeStage(session.client, node.name);
    if (!removed.ok)
      process.stderr.write(`warning: node/${node.name}: its drain conditions stay: ${removed.failure.message}\n`);
  }
}
