import { homedir } from 'node:os';
import { createClients } from '../../kube/client/clients.ts';
import { readerOf } from '../../kube/client/reader.ts';
import type { Access } from '../../kube/config/access.ts';
import { loadAccess } from '../../kube/config/load.ts';
import { targetOf } from '../../kube/config/target-of.ts';
import { realClock } from '../../kube/time/clock.ts';
import { systemRandom } from '../../kube/time/random.ts';
import { Connection } from '../../kube/transport/connection.ts';
import { followingPings } from '../../kube/transport/pinged-session.ts';
import { Problem } from '../../observe/problem.ts';
import type { ReadSession } from '../../observe/session.ts';
import type { LiveFlags } from '../live/flags.ts';
import { sessionLimit } from '../live/session.ts';
import { packageFile } from '../package-file.ts';
import { productVersion } from '../version.ts';
import { createDetailApi } from './details/detail-api.ts';
import { Fleet } from './fleet.ts';
import { type RunningUiServer, startUiServer } from './serve/ui-server.ts';
import { WhatIfJobs } from './what-if/jobs.ts';

export interface UiOptions extends LiveFlags {
  readonly port: number;
  /** Only this namespace; absent: all. */
  readonly namespace?: string;
  /** Serve no page. */
  readonly jsonApi?: boolean;
  /** Problems that are no reason to end. */
  readonly report: (problem: string) => void;
}

export interface RunningUi {
  readonly server: RunningUiServer;
  readonly fleet: Fleet;
  close(): Promise<void>;
}

/** Lists, watches and owners; people who look at details have a limit of their own. */
const watchLimit = { perSecond: 100, burst: 200, concurrent: 100, waiting: 20_000 };

/** Follows a cluster with the user's rights, and serves what is seen of it on loopback. */
export async function openUi(options: UiOptions): Promise<RunningUi> {
  const { kubeconfig, context } = options;
  const access = await loadAccess({ env: process.env, home: homedir(), kubeconfig, context });
  if (!access.ok) {
    throw new Problem(access.problem, 'Name a cluster with --kubeconfig FILE or --context NAME, as with kubectl.');
  }
  const connection = new Connection(targetOf(access.value, realClock), {
    clock: realClock,
    userAgent: 'holdfast-ui',
    pings: followingPings,
  });
  const limits = { watching: watchLimit, looking: sessionLimit };
  const clients = createClients(connection, limits, realClock);
  const stopping = new AbortController();
  const fleet = new Fleet({
    session: sessionOf(access.value, readerOf(clients.looking), stopping.signal, options.requestTimeout),
    watching: readerOf(clients.watching),
    random: systemRandom,
    cluster: clusterOf(access.value, options),
    within: options.namespace,
    operatorNamespace: options.operatorNamespace,
    access: accessWords(options),
    report: options.report,
  });
  const { session, within, access: words } = fleet;
  const jobs = new WhatIfJobs({ session, within, operatorNamespace: options.operatorNamespace, access: words });
  const api = createDetailApi(fleet, jobs);
  const page = options.jsonApi === true ? undefined : packageFile('dist/dashboard');
  // The port first: where another process has it, nothing must have begun.
  const server = await startUiServer({
    port: options.port,
    publisher: fleet.publisher,
    clock: realClock,
    api,
    page,
  }).catch((error: unknown) => {
    stopping.abort();
    connection.close();
    throw portProblem(error, options.port);
  });
  fleet.start();
  return {
    server,
    fleet,
    async close() {
      await server.close();
      stopping.abort();
      await jobs.close();
      await fleet.close();
      connection.close();
    },
  };
}

function accessWords({ kubeconfig, context }: UiOptions): readonly string[] {
  return [
    ...(kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig]),
    ...(context === undefined ? [] : ['--context', context]),
  ];
}

function sessionOf(
  access: Access,
  client: ReadSession['client'],
  signal: AbortSignal,
  deadlineMs: number | undefined,
): ReadSession {
  const call = { signal, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
  return { client, clock: realClock, signal, namespace: access.namespace, call };
}

function clusterOf({ server, source }: Access, { context, namespace }: UiOptions) {
  return {
    server: server.origin,
    ...(context === undefined ? contextIn(source) : { context }),
    namespaces: namespace === undefined ? [] : [namespace],
    version: productVersion,
  };
}

/** As people name it: the source of an access says which context of which file it is. */
function contextIn(source: string | undefined): { readonly context?: string } {
  const name = /^context "?([^"\s]+)"?/.exec(source ?? '')?.[1];
  return name === undefined ? {} : { context: name };
}

function portProblem(error: unknown, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  return new Problem(`port ${port} cannot be opened (${code})`, 'Choose another with --port (0: any free one).');
}
