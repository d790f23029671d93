import { formatFieldErrors } from '@holdfast/base/field-errors';
import { probePendingReason } from '../api/names.ts';
import { foreignHosts, hostRefusal } from '../api/probe-hosts.ts';
import { mayExec, type ProbePermits } from './permits.ts';
import type { ProbedPodView } from './pods/agent-pod.ts';
import type { ProbeTally } from './worker/thresholds.ts';

/** Why a pod is disruptable, or not: the reasons of its condition. */
export type VerdictReason =
  | 'ProbeSucceeded'
  | 'ProbeFailing'
  | typeof probePendingReason
  | 'ProbeOverdue'
  | 'ProbeInvalid'
  | 'ExecNotAllowed'
  | 'HostNotAllowed'
  | 'ContainerNotRunning';

export interface ProbeVerdict {
  readonly disruptable: boolean;
  readonly reason: VerdictReason;
  readonly message: string;
}

/** What this agent has found out about a pod for which another spoke before it. */
export type Standing =
  /** Nothing yet, and it is still what the other one asked. */
  'unasked' | 'yes' | 'no';

/** What is known of one probed container. */
export interface ContainerFinding {
  readonly container: string;
  /** Undefined: it does not run, or has not started. */
  readonly tally: ProbeTally | undefined;
  readonly overdue: boolean;
}

/** Of a condition's message. */
const maxMessage = 1_024;

/** A pod can be lost when every probe says so; otherwise the first container that says why not is shown. */
export function verdictOf(findings: readonly ContainerFinding[]): ProbeVerdict {
  const stopped = findings.find(({ tally }) => tally === undefined);
  if (stopped !== undefined) return no('ContainerNotRunning', `container ${stopped.container} is not running`);
  const failing = findings.find(({ tally }) => tally?.disruptable === false);
  if (failing !== undefined) return no('ProbeFailing', `container ${failing.container}: ${failing.tally?.output}`);
  const pending = findings.find(({ tally }) => tally?.disruptable === undefined);
  if (pending !== undefined)
    return no(probePendingReason, `container ${pending.container} has not succeeded often enough yet`);
  const overdue = findings.find((finding) => finding.overdue);
  if (overdue !== undefined) return no('ProbeOverdue', `container ${overdue.container} was not probed for too long`);
  return { disruptable: true, reason: 'ProbeSucceeded', message: 'every disruption probe succeeds' };
}

/** Why a pod is not even asked. Undefined: it is. */
export function refusalToProbe(
  { probes, addresses }: ProbedPodView,
  namespace: string,
  permits: ProbePermits,
): ProbeVerdict | undefined {
  if (!probes.ok) return no('ProbeInvalid', formatFieldErrors(probes.errors));
  const [foreign] = foreignHosts(probes.value, addresses, permits.hosts);
  if (foreign !== undefined) return no('HostNotAllowed', hostRefusal(foreign));
  const exec = probes.value.find(({ handler }) => handler.kind === 'exec');
  if (exec === undefined || mayExec(permits, namespace)) return undefined;
  return no('ExecNotAllowed', `the disruption probe runs a command, which agents may not do in namespace ${namespace}`);
}

function no(reason: VerdictReason, message: string): ProbeVerdict {
  const cut = message.length > maxMessage ? `${message.slice(0, maxMessage - 3)}...` : message;
  return { disruptable: false, reason, message: cut };
}
