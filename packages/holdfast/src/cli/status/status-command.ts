import { Command, Option } from 'commander';
import { KindReader } from '../../observe/once/kind-reader.ts';
import { ProbeLeaseBook } from '../../observe/once/probe-lease-book.ts';
import { readWorld } from '../../observe/once/read-world.ts';
import type { ScopeFlags } from '../../observe/once/scope.ts';
import { scopeOf } from '../../observe/once/scope.ts';
import { ensureSight, unseenProblem } from '../../observe/once/sight.ts';
import { exitCode } from '../../observe/problem.ts';
import type { Session } from '../../observe/session.ts';
import { durationMs } from '../duration.ts';
import { type LiveFlags, withLiveFlags, withOutputFlag, withScopeFlags, withSelectorFlag } from '../live/flags.ts';
import { withSession } from '../live/session.ts';
import { paintFor } from '../output/paint.ts';
import { redraw } from '../output/screen.ts';
import { isStructured, structured } from '../output/structured.ts';
import { onlyBlocked } from './blocked-first.ts';
import { statusChanges } from './changes.ts';
import { follow, type Viewer } from './follow.ts';
import { readStatus, type StatusReport } from './report.ts';
import { statusNoteLines, statusText } from './status-text.ts';
import { isHealthy } from './summary.ts';

interface Options extends LiveFlags, ScopeFlags {
  readonly selector?: string;
  readonly output?: 'wide' | 'json' | 'yaml';
  readonly watch?: boolean;
  readonly blocked?: boolean;
  readonly check?: boolean;
  readonly interval: number;
}

const defaultIntervalMs = 5_000;

const statusDescription =
  'show what is protected, which pods can be evicted now, which nodes can be drained, and whether the operator is healthy';

export function statusCommand(): Command {
  const command = new Command('status')
    .description(statusDescription)
    .option('--blocked', 'list only what is blocked: budgets, nodes, and checks of the operator that are not ok')
    .addOption(
      new Option('--check', 'exit with 1 when the operator is unhealthy or something is blocked').conflicts('watch'),
    )
    .option('-w, --watch', 'keep looking: a live view on a terminal, a line for each change elsewhere')
    .addOption(
      new Option('--interval <duration>', 'with -w: time between two looks')
        .argParser(durationMs)
        .default(defaultIntervalMs, '5s'),
    );
  return withLiveFlags(withOutputFlag(withSelectorFlag(withScopeFlags(command), 'nodes'), ['wide', 'json', 'yaml']))
    .addHelpText(
      'after',
      `
It only reads, with your own rights, and needs no operator. The first line sums everything up; what is blocked comes
first in every table.

Of a node: EVICTABLE pods can be evicted now; pods AFTER RECOVERY when replacements of pods evicted before them are up;
BLOCKED pods only when something changes (WHY NOT NOW).

Examples:
  holdfast status                 budgets of the namespace of your kubeconfig
  holdfast status -A -o wide      budgets of all namespaces, with the source of the numbers
  holdfast status -A --blocked    only what is blocked
  holdfast status -A --check      for a monitor or a pipeline
  holdfast status -A -w           a live view
  holdfast status -A -o json      for programs

Exit codes: 0 it could look; 2 it could not, or you may not read what the answer depends on. With --check, 1 when a check
of the operator failed, no operator is registered, a node has blocked pods, or a budget allows no disruption.`,
    )
    .action((options: Options) => withSession(options, (session) => run(session, options)));
}

async function run(session: Session, options: Options): Promise<void> {
  const book = new ProbeLeaseBook();
  const reader = new KindReader(session);
  const look = async (): Promise<StatusReport> => {
    const scope = scopeOf(options, session);
    const live = await readWorld(session, { scope, operatorNamespace: options.operatorNamespace, book });
    ensureSight(live.gaps);
    const report = await readStatus(reader, live, options.selector);
    return options.blocked === true ? onlyBlocked(report) : report;
  };
  if (options.watch === true) return follow(session, options.interval, look, viewer(options));
  const report = await look();
  process.stdout.write(shown(report, options));
  process.stderr.write(notes(report, options));
  finish(report, options.check === true);
}

/** A refusal that a missing right explains is shown, and is no answer. */
function finish(report: StatusReport, check: boolean): void {
  const codes = [
    ...report.budgets.flatMap(({ blocked }) => (blocked === undefined ? [] : [blocked.code])),
    ...report.nodes.flatMap(({ reasons }) => Object.keys(reasons)),
  ];
  const unseen = unseenProblem(report.gaps, codes);
  if (unseen !== undefined) throw unseen;
  if (check && !isHealthy(report.summary)) process.exitCode = exitCode.no;
}

function shown(report: StatusReport, { output }: Options): string {
  if (isStructured(output)) return structured(report, output);
  return statusText(report, {
    wide: output === 'wide',
    paint: paintFor({ isTTY: process.stdout.isTTY, env: process.env }),
  });
}

function viewer(options: Options): Viewer {
  const { stdout, stderr } = process;
  if (stdout.isTTY && !isStructured(options.output)) return terminalViewer(options);
  return {
    show(report, before) {
      if (before === undefined) stdout.write(`${shown(report, options)}${notes(report, options)}`);
      else if (!isStructured(options.output))
        for (const line of statusChanges(before, report)) stdout.write(`${line}\n`);
      else if (statusChanges(before, report).length > 0) stdout.write(shown(report, options));
    },
    failed: (problem) => void stderr.write(`warning: ${problem.message}; trying again\n`),
  };
}

function terminalViewer(options: Options): Viewer {
  let last = '';
  let first = true;
  const draw = (head: string) => {
    redraw(process.stdout, `${head}\n\n${last}`, first);
    first = false;
  };
  return {
    show(report) {
      last = `${shown(report, options)}\n${notes(report, options)}`;
      draw(`holdfast status at ${report.time} (Ctrl-C ends it)`);
    },
    failed: (problem) => draw(`${problem.message}; trying again. This is what was seen before:`),
  };
}

/** Programs find them in the report. */
function notes(report: StatusReport, { output }: Options): string {
  return isStructured(output)
    ? ''
    : statusNoteLines(report)
        .map((line) => `${line}\n`)
        .join('');
}
