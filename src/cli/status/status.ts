import { Command, Option } from 'commander';
import { sleep } from '../../kube/time/clock.ts';
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
  if (options.watch === true) return follow(session, options, look);
  const report = await look();
  process.stdout.write(shown(report, options));
  if (!isStructured(options.output)) for (const line of noteLines(report)) process.stderr.write(`${line}\n`);
}

function shown(report: StatusReport, { output }: Options): string {
  if (isStructured(output)) return structured(report, output);
  return statusText(report, {
    wide: output === 'wide',
    paint: paintFor({ isTTY: process.stdout.isTTY, env: process.env }),
  });
}

/** Until Ctrl-C. Looking never takes more than half of the time, however large the cluster is. */
async function follow(session: Session, options: Options, look: () => Promise<StatusReport>): Promise<void> {
  const { clock, signal } = session;
  let before: StatusReport | undefined;
  while (!signal.aborted) {
    const begun = clock.monotonic();
    const report = await look().catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (report === undefined) return;
    show(before, report, options);
    before = report;
    await sleep(clock, Math.max(options.interval, clock.monotonic() - begun), signal);
  }
}

function show(before: StatusReport | undefined, report: StatusReport, options: Options): void {
  const { stdout } = process;
  if (isStructured(options.output)) {
    if (before === undefined || changes(before, report).length > 0) stdout.write(structured(report, options.output));
  } else if (stdout.isTTY) {
    const notes = noteLines(report).map((line) => `${line}\n`);
    const head = `holdfast status at ${report.time} (Ctrl-C ends it)\n\n`;
    redraw(stdout, `${head}${shown(report, options)}\n${notes.join('')}`, before === undefined);
  } else if (before === undefined)
    stdout.write([shown(report, options), ...noteLines(report).map((line) => `${line}\n`)].join(''));
  else for (const line of changes(before, report)) stdout.write(`${line}\n`);
}
