import { electionLease } from '../api/installation-names.ts';
import { leaseApi } from '../kube/election/lease-api.ts';
import { LeaseElection } from '../kube/election/lease-election.ts';
import { sleep } from '../kube/time/clock.ts';
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

const lookEveryMs = 50;

/** Only one replica writes what is not part of an answer. Certificates come first: without them no webhook can be called. */
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
  await Promise.all([parts.certificates.lead(signal), parts.register?.(signal), leadTheRest(parts, signal)]);
}

/** What was not seen yet must not be taken for something that is not there. */
async function leadTheRest(parts: LeadingParts, signal: AbortSignal): Promise<void> {
  const { context, pruner, sizes, guard, guardState, status, rollouts, viewComplete } = parts;
  while (!viewComplete()) if (!(await sleep(context.clock, lookEveryMs, signal))) return;
  pruner.lead();
  sizes.lead();
  guard.lead();
  const ended = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([guardState.settled, ended]);
  // Budgets that are guarded by now judge the removals of a repair, too.
  await Promise.all([status.lead(signal), rollouts?.lead(signal), ended]);
  pruner.resign();
  sizes.resign();
  guard.resign();
}
