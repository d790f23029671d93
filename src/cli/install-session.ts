import { homedir } from 'node:os';
import { createClients } from '../kube/client/clients.ts';
import { loadAccess } from '../kube/config/load.ts';
import { targetOf } from '../kube/config/target-of.ts';
import { realClock } from '../kube/time/clock.ts';
import { Connection } from '../kube/transport/connection.ts';
import type { ApiOptions } from '../operator/install/cluster-api.ts';
import type { Ended, Report, Reporter } from '../operator/install/outcome.ts';
import type { ClusterOptions } from './install-options.ts';
import { endText, exitCodeOf, outcomeLine } from './install-texts.ts';
import { StopRequest } from './stop-request.ts';
import { type Progress, progressOn } from './up-progress.ts';

/** One person waits, and the cluster has others to serve. */
const limit = { perSecond: 100, burst: 100, concurrent: 8, waiting: 1_000 };

interface Saying {
  readonly dryRun: boolean;
  /** What somebody with more rights could apply instead. */
  readonly dryRunCommand?: string;
}

/** Does something to a cluster, tells what happens, and leaves the exit code that fits. */
export async function withCluster(
  options: ClusterOptions,
  saying: Saying,
  work: (ports: ApiOptions & { readonly report: Reporter }) => Promise<Ended>,
): Promise<void> {
  const { kubeconfig, context } = options;
  const access = await loadAccess({ env: process.env, home: homedir(), kubeconfig, context });
  if (!access.ok) throw new Error(access.problem);
  const connection = new Connection(targetOf(access.value, realClock), { clock: realClock, userAgent: 'holdfast' });
  const { client } = createClients(connection, { client: limit }, realClock);
  const stop = new StopRequest();
  const giveUp = new AbortController();
  void stop.requested.then(() => giveUp.abort());
  const progress = progressOn(process.stdout);
  try {
    const report = reporterOn(progress, saying.dryRun);
    const ended = await work({ client, clock: realClock, signal: giveUp.signal, report });
    progress.end();
    if (ended.kind !== 'done') process.stderr.write(`${endText(ended, saying.dryRunCommand)}\n`);
    process.exitCode = exitCodeOf(ended);
  } finally {
    progress.end();
    stop.close();
    connection.close();
  }
}

function reporterOn(progress: Progress, dryRun: boolean): (report: Report) => void {
  return (report) => {
    if (report.kind === 'waiting') {
      progress.step(`waiting: ${report.text}`);
      return;
    }
    progress.end();
    process.stdout.write(`${outcomeLine(report, dryRun)}\n`);
  };
}
