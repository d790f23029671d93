import { homedir } from 'node:os';
import { createClients } from '../../kube/client/clients.ts';
import { loadAccess } from '../../kube/config/load.ts';
import { targetOf } from '../../kube/config/target-of.ts';
import { realClock } from '../../kube/time/clock.ts';
import { Connection } from '../../kube/transport/connection.ts';
import { Interrupted, Problem, Unreachable, unreachableProblem } from '../../observe/problem.ts';
import type { Session } from '../../observe/session.ts';
import { StopRequest } from '../stop-request.ts';
import type { LiveFlags } from './flags.ts';

/** One person waits, and the cluster has others to serve. */
export const sessionLimit = { perSecond: 100, burst: 100, concurrent: 8, waiting: 100_000 };

/** Opens the cluster that the flags name, for as long as the work takes. */
export async function withSession<T>(flags: LiveFlags, work: (session: Session) => Promise<T>): Promise<T> {
  const { kubeconfig, context, requestTimeout } = flags;
  const access = await loadAccess({ env: process.env, home: homedir(), kubeconfig, context });
  if (!access.ok) {
    throw new Problem(access.problem, 'Name a cluster with --kubeconfig FILE or --context NAME, as with kubectl.');
  }
  const connection = new Connection(targetOf(access.value, realClock), { clock: realClock, userAgent: 'holdfast' });
  const { client } = createClients(connection, { client: sessionLimit }, realClock);
  const stop = new StopRequest();
  const giveUp = new AbortController();
  void stop.requested.then(() => giveUp.abort());
  const { signal } = giveUp;
  const call = { signal, ...(requestTimeout === undefined ? {} : { deadlineMs: requestTimeout }) };
  try {
    return await work({ client, clock: realClock, signal, namespace: access.value.namespace, call });
  } catch (error) {
    // What fails after Ctrl-C fails because of it.
    if (signal.aborted) throw new Interrupted('interrupted', { cause: error });
    throw error instanceof Unreachable ? unreachableProblem(error, access.value) : error;
  } finally {
    stop.close();
    connection.close();
  }
}
