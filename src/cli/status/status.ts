import { Command, Option } from 'commander';
import { durationMs } from '../duration.ts';
import {
  type LiveFlags,
  type ScopeFlags,
  withLiveFlags,
  withOutputFlag,
  withScopeFlags,
  withSelectorFlag,
} from '../live/flags.ts';
import { KindReader } from '../live/kind-reader.ts';
import { ProbeLeaseBook } from '../live/probe-lease-book.ts';
import { readWorld } from '../live/read-world.ts';
import { scopeOf } from '../live/scope.ts';
import { type Session, withSession } from '../live/session.ts';
import { paintFor } from '../output/paint.ts';
import { redraw } from '../output/screen.ts';
import { isStructured, structured } from '../output/structured.ts';
import { changes } from './changes.ts';
import { follow, type Viewer } from './follow.ts';
import { readStatus, type StatusReport } from './report.ts';
import { noteLines, statusText } from './text.ts';

interface Options extends LiveFlags, ScopeFlags {
  readonly selector?: string;
  readonly output?: 'wide' | 'json' | 'yaml';
  readonly watch?: boolean;
  readonly interval: number;
}

const defaultIntervalMs = 5_000;

export function statusCommand(): Command {
  const command = new Command('status')
    .description('show what is protected, what may go now, how far nodes could be drained, and how the operator is')
    .option('-w, --watch', 'look again and again: a live view on a terminal, a line for each change elsewhere')
    .addOption(
      new Option('--interval <duration>', 'with -w: how long to wait before each look')
        .argParser(durationMs)
        .default(defaultIntervalMs, '5s'),
    );
  return withLiveFlags(withOutputFlag(withSelectorFlag(withScopeFlags(command), 'nodes'), ['wide', 'json', 'yaml']))
    .addHelpText(
      'after',
      `
It reads, with your own rights, and needs no operator. What you may not read is said, and counts as a no.

Examples:
  holdfast status                 budgets of the namespace of your kubeconfig
  holdfast status -A -o wide      of all namespaces, with where the numbers come from
  holdfast status -A -w           a live view
  holdfast status -A -o json      for programs

Exits with 0 when it could look, and with 2 when not.`,
    )
    .action((options: Options) => withSession(options, (session) => run(session, options)));
}

async function run(session: Session, options: Options): Promise<void> {
  const book = new ProbeLeaseBook();
  const reader = new KindReader(session);
  const look = async (): Promise<StatusReport> => {
    const scope = scopeOf(options, session);
    const live = await readWorld(session, { scope, operatorNamespace: options.operatorNamespace, book });
    return readStatus(reader, live, options.selector);
  };
  if (options.watch === true) return follow(session, options.interval, look, viewer(options));
  const report = await look();
  process.stdout.write(shown(report, options));
  process.stderr.write(notes(report, options));
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
      else if (!isStructured(options.output)) for (const line of changes(before, report)) stdout.write(`${line}\n`);
      else if (changes(before, report).length > 0) stdout.write(shown(report, options));
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
    : noteLines(report)
        .map((line) => `${line}\n`)
        .join('');
}
