import type { Command } from 'commander';
import { systemRandom } from '../../kube/time/random.ts';
import { KindReader } from '../../observe/once/kind-reader.ts';
import { Problem } from '../../observe/problem.ts';
import type { Session } from '../../observe/session.ts';
import { commandLine, withoutWave } from '../command-line.ts';
import { withSession } from '../live/session.ts';
import { noNodeHas } from '../no-nodes.ts';
import { type PlanFile, readPlanFile } from '../plan/plan-file.ts';
import { carryOutPlan, rangeOf, type WaveRange } from './carry-out-plan.ts';
import { displayFor } from './display.ts';
import { Drain, type DrainAudience } from './drain-nodes.ts';
import type { Ending } from './ending.ts';
import { findNode, findNodes } from './nodes/nodes.ts';
import { type DrainOptions, defineDrainCommand } from './options.ts';

export function drainCommand(): Command {
  return defineDrainCommand(async (names, options) => {
    const ways = Number(names.length > 0) + Number(options.selector !== undefined) + Number(options.plan !== undefined);
    if (ways === 0) throw new Problem('no node is named', usage);
    if (ways > 1) throw new Problem('nodes are named in more than one way', usage);
    if (options.plan === undefined && (options.wave ?? options.fromWave) !== undefined) {
      throw new Problem('--wave and --from-wave need --plan', usage);
    }
    const plan = options.plan === undefined ? undefined : readPlanFile(options.plan);
    const range = plan === undefined ? undefined : rangeOf(plan, options.wave, options.fromWave);
    await withSession(options, (session) =>
      plan === undefined || range === undefined ? run(session, names, options) : runPlan(session, plan, range, options),
    );
  });
}

const usage = 'Name nodes, choose them with -l SELECTOR, or carry out a --plan FILE: holdfast drain --help.';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const warn = (line: string): void => void process.stderr.write(`${line}\n`);

const person: DrainAudience = {
  say,
  warn,
  display: (nodes, startedAt) => displayFor(process.stdout, process.env, nodes, startedAt),
  commandWith: (flags) => commandLine([...process.argv.slice(2), ...flags]),
};

async function run(session: Session, names: readonly string[], options: DrainOptions): Promise<void> {
  const nodes = await findNodes(new KindReader(session), names, options.selector);
  if (nodes.length === 0) throw noNodeHas(options.selector ?? '');
  const drain = new Drain(session, options, person, systemRandom);
  finish(options.dryRun === true ? await drain.tell(nodes) : await drain.drain(nodes));
}

async function runPlan(session: Session, plan: PlanFile, range: WaveRange, options: DrainOptions): Promise<void> {
  const { clock } = session;
  const reader = new KindReader(session);
  const deadline = options.timeout === undefined ? undefined : clock.now() + options.timeout;
  const ending = await carryOutPlan(plan, range, {
    find: (name) => findNode(reader, name),
    drain: (nodes, selected) => {
      // The timeout is for the whole command.
      const left = deadline === undefined ? {} : { timeout: Math.max(1, deadline - clock.now()) };
      const drain = new Drain(session, { ...options, ...left }, { ...person, selected }, systemRandom);
      return options.dryRun === true ? drain.tell(nodes) : drain.drain(nodes);
    },
    say,
    warn,
    continueAt: (wave) => commandLine([...withoutWave(process.argv.slice(2)), '--from-wave', String(wave)]),
  });
  finish(ending);
}

function finish({ out, err, code }: Ending): void {
  for (const line of out) say(line);
  for (const line of err) warn(line);
  process.exitCode = code;
}
