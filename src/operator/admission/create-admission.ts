import { type DecideOptions, decide } from '../../core/decide/decide.ts';
import type { OperatorContext } from '../context.ts';
import { defaultPrunerLimits, LedgerPruner } from '../ledger/ledger-pruner.ts';
import { kubePodsVersion } from '../ledger/pods-version.ts';
import { defaultSizeKeeperLimits, SizeKeeper } from '../ledger/size-keeper.ts';
import { Admission, type AdmissionDeps } from './admit.ts';
import { BuiltinCounters } from './builtin-counters.ts';
import { type GuardParts, kubeGuards, kubeLedgerStore, kubePodReader } from './kube-store.ts';
import { LedgerAccess, type LedgerEvents } from './ledger.ts';
import { defaultAdmissionLimits } from './limits.ts';
import { type DecisionObserver, PodHandler } from './pod-handler.ts';
import { GroupCommit } from './reserve.ts';
import { takeOver } from './takeover.ts';
import type { PodReader } from './verify.ts';
import { ViewGate } from './view-gate.ts';
import { Turns } from './waiting-line.ts';
import { Withdrawals } from './withdrawals.ts';

/** The room, put together, with the pruner, which shares the turns and the identity of this process with it. */
export interface AdmissionParts {
  readonly handler: PodHandler;
  readonly access: LedgerAccess;
  readonly pods: PodReader;
  readonly views: ViewGate;
  readonly pruner: LedgerPruner;
  readonly sizes: SizeKeeper;
}

export interface AdmissionOptions {
  readonly options: (namespace: string) => DecideOptions;
  readonly staleness: AdmissionDeps['staleness'];
  readonly scales: AdmissionDeps['scales'];
  /** The user that our own requests come from. */
  readonly username: () => string;
  readonly events: LedgerEvents;
  readonly observer: DecisionObserver;
  readonly namespaces: GuardParts['namespaces'];
}

export function createAdmission(
  { world, clients, clock, random, identity, log, namespace: own }: OperatorContext,
  { options, staleness, scales, username, events, observer, namespaces }: AdmissionOptions,
): AdmissionParts {
  const limits = defaultAdmissionLimits;
  const turns = new Turns((namespace, error) => log.error('work on a ledger failed', { namespace, error }));
  const store = kubeLedgerStore(clients.admission);
  const access = new LedgerAccess({ world, store, clock, events, callMs: limits.callMs });
  const pods = kubePodReader(clients.admission);
  const views = new ViewGate(world);
  const shared = { world, access, clock, random, identity, events, turns };
  const counters = new BuiltinCounters({ client: clients.admission, clock });
  const admission = new Admission({
    world,
    decide: (request) => decide(world, request, clock.now(), options(request.namespace)),
    commits: new GroupCommit({ ...shared, limits, options }),
    withdrawals: new Withdrawals({ ...shared, limits }),
    access,
    pods,
    views,
    scales,
    counters,
    takeOver: (takeover, deadline) => takeOver(clients.admission, takeover, deadline),
    staleness,
    events,
    completed: (request, completion) => observer.completed(request, completion),
    identity,
    limits,
  });
  const guards = kubeGuards({ client: clients.admission, namespaces, own });
  const { callMs } = limits;
  const handler = new PodHandler({ world, admission, counters, clock, options, username, observer, guards, callMs });
  const podsVersion = kubePodsVersion(clients.admission, limits.callMs);
  const pruner = new LedgerPruner({ ...shared, limits: defaultPrunerLimits, podsVersion });
  const sizes = new SizeKeeper({ world, access, turns, clock, limits: defaultSizeKeeperLimits });
  return { handler, access, pods, views, pruner, sizes };
}
