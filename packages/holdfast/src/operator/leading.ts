import { electionLease } from '../api/installation-names.ts';
import { leaseApi } from '../kube/election/lease-api.ts';
import { LeaseElection } from '../kube/election/lease-election.ts';
import { aborted, type Clock, sleep } from '../kube/time/clock.ts';
import type { OperatorContext } from '../observe/context.ts';
import type { Certificates } from './certificates/certificates.ts';
import type { GuardController } from './guard/guard-controller.ts';
import type { GuardState } from './guard/guard-state.ts';
import type { LedgerPruner } from './ledger/ledger-pruner.ts';
import type { SizeKeeper } from './ledger/size-keeper.ts';
import type { RolloutController } from './rollout/rollout-controller.ts';
import type { StatusController } from './status/status-controller.ts';

export interface LeadingParts {
  readonly context: OperatorContext;
  readonly certificates: Certificates;
  /** Puts the webhooks into their configurations, where no other tool does. */
  readonly register: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly pruner: LedgerPruner;
  readonly sizes: SizeKeeper;
  readonly guard: GuardController;
  readonly guardState: GuardState;
  readonly status: StatusController;
  readonly rollouts: RolloutController | undefined;
  /** Whether the view of the cluster is complete. */
  readonly viewComplete: () => boolean;
}

/** What must be so before a task begins. Each includes those before it. */
type Precondition = 'leading' | 'the view is complete' | 'the guard has settled';

/** Work that one replica does for all of them: what is not part of an answer is written by the leader alone. */
export interface LeaderTask {
  readonly name: string;
  readonly after: Precondition;
  /** Ends soon after the signal, and leaves nothing running. */
  run(signal: AbortSignal): Promise<void>;
}

/** In the order in which they begin. */
function leaderTasks(parts: LeadingParts): readonly LeaderTask[] {
  const { certificates, register, pruner, sizes, guard, status, rollouts } = parts;
  const registration: readonly LeaderTask[] =
    register === undefined ? [] : [{ name: 'webhooks', after: 'leading', run: register }];
  const repairs: readonly LeaderTask[] =
    rollouts === undefined
      ? []
      : [{ name: 'rollouts', after: 'the guard has settled', run: (signal) => rollouts.lead(signal) }];
  return [
    // First, and by themselves: without a certificate no webhook can be called, and without webhooks nothing is protected.
    { name: 'certificates', after: 'leading', run: (signal) => certificates.lead(signal) },
    ...registration,
    // A pod that was not seen yet must not be taken for one that is gone: its reservation would be pruned.
    { name: 'ledgers', after: 'the view is complete', run: (signal) => inOffice(pruner, signal) },
    { name: 'sizes in ledgers', after: 'the view is complete', run: (signal) => inOffice(sizes, signal) },
    // Nor a budget for one that is gone: its namespace would lose the guard.
    { name: 'guard labels', after: 'the view is complete', run: (signal) => inOffice(guard, signal) },
    // A status says whether its namespace is guarded; before the guard has settled it would be written twice.
    { name: 'status', after: 'the guard has settled', run: (signal) => status.lead(signal) },
    // A repair deletes pods: by now budgets judge that, too.
    ...repairs,
  ];
}

export function createElection(parts: LeadingParts): LeaseElection {
  const { clients, clock, random, log, identity, namespace } = parts.context;
  return new LeaseElection({
    api: leaseApi(clients.election, { namespace, name: electionLease }),
    namespace,
    name: electionLease,
    identity,
    clock,
    random,
    lead: (signal) => lead(parts, signal),
    onLeader: (leader) => log.info('a leader was elected', { leader, isThisOne: leader === identity }),
    report: (message) => log.warn('leader election failed; retrying', { error: message }),
  });
}

async function lead(parts: LeadingParts, signal: AbortSignal): Promise<void> {
  const complete = viewCompleted(parts.context.clock, parts.viewComplete, signal);
  const met: Readonly<Record<Precondition, Promise<unknown>>> = {
    leading: Promise.resolve(),
    'the view is complete': complete,
    'the guard has settled': complete.then(() => Promise.race([parts.guardState.settled, aborted(signal)])),
  };
  const run = async (task: LeaderTask) => {
    await met[task.after];
    if (signal.aborted) return;
    parts.context.log.debug('the leader begins a task', { task: task.name });
    await task.run(signal);
  };
  await Promise.all(leaderTasks(parts).map(run));
}

const lookEveryMs = 50;

async function viewCompleted(clock: Clock, isComplete: () => boolean, signal: AbortSignal): Promise<void> {
  while (!isComplete()) if (!(await sleep(clock, lookEveryMs, signal))) return;
}

/** For controllers that only have to know whether they lead. */
async function inOffice(one: { lead(): void; resign(): void }, signal: AbortSignal): Promise<void> {
  one.lead();
  await aborted(signal);
  one.resign();
}
