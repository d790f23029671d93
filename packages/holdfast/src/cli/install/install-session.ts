import type { ApiOptions, Ended, Report, Reporter } from '../../install/index.ts';
import type { Session } from '../../observe/session.ts';
import { withSession } from '../live/session.ts';
import { type UpProgress, upProgressOn } from '../up/up-progress.ts';
import type { ClusterOptions } from './install-options.ts';
import { endText, exitCodeOf, outcomeLine } from './install-texts.ts';

interface Saying {
  readonly dryRun: boolean;
  /** What a user with more rights could apply instead. */
  readonly dryRunCommand?: string;
}

/** Does something to a cluster, tells what happens, and leaves the exit code that fits. */
export async function withCluster(
  options: ClusterOptions,
  saying: Saying,
  work: (ports: ApiOptions & { readonly report: Reporter }) => Promise<Ended>,
): Promise<void> {
  await withSession(options, (session) => workOn(session, saying, work));
}

/** The same in a session that is open already. */
export async function workOn(
  { client, clock, signal }: Session,
  saying: Saying,
  work: (ports: ApiOptions & { readonly report: Reporter }) => Promise<Ended>,
): Promise<void> {
  const progress = upProgressOn(process.stdout);
  try {
    const report = reporterOn(progress, saying.dryRun);
    const ended = await work({ client, clock, signal, report });
    progress.end();
    if (ended.kind !== 'done') process.stderr.write(`${endText(ended, saying.dryRunCommand)}\n`);
    process.exitCode = exitCodeOf(ended);
  } finally {
    progress.end();
  }
}

function reporterOn(progress: UpProgress, dryRun: boolean): (report: Report) => void {
  return (report) => {
    if (report.kind === 'waiting') {
      progress.step(`waiting: ${report.text}`);
      return;
    }
    progress.end();
    process.stdout.write(`${outcomeLine(report, dryRun)}\n`);
  };
}
