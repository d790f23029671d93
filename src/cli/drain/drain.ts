import type { Command } from 'commander';
import { systemRandom } from '../../kube/time/random.ts';
import { KindReader } from '../live/kind-reader.ts';
import { type Session, withSession } from '../live/session.ts';
import { Problem } from '../output/problem.ts';
import { displayFor } from './display.ts';
import { Drain, type DrainAudience } from './drain-nodes.ts';
import type { Ending } from './ending.ts';
import { findNodes } from './nodes.ts';
import { drainCommand as commandWith, type DrainOptions } from './options.ts';

export function drainCommand(): Command {
  return commandWith(async (names, options) => {
    if (names.length === 0 && options.selector === undefined) throw new Problem('no node is named', usage);
    if (names.length > 0 && options.selector !== undefined) throw new Problem('nodes are named and selected', usage);
    await withSession(options, (session) => run(session, names, options));
  });
}

const usage = 'Name nodes, or choose them with -l SELECTOR: holdfast drain --help.';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const warn = (line: string): void => void process.stderr.write(`${line}\n`);

const person: DrainAudience = {
  say,
  warn,
  display: (nodes, startedAt) => displayFor(process.stdout, process.env, nodes, startedAt),
};

async function run(session: Session, names: readonly string[], options: DrainOptions): Promise<void> {
  const nodes = await findNodes(new KindReader(session), names, options.selector);
  if (nodes.length === 0) return say(`No node has the labels ${options.selector}.`);
  const drain = new Drain(session, options, person, systemRandom);
  finish(options.dryRun === true ? await drain.tell(nodes) : await drain.drain(nodes));
}

function finish({ out, err, code }: Ending): void {
  for (const line of out) say(line);
  for (const line of err) warn(line);
  process.exitCode = code;
}
