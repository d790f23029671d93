import type { DecideOptions } from '../../core/decide/decide.ts';
import type { OperatorContext } from '../../observe/context.ts';
import { type GuardParts, kubeGuards, type NamespaceGuards } from '../../observe/guard/guard-mode.ts';
import { defaultPrunerLimits, LedgerPruner, type PodsVersion } from '../ledger/ledger-pruner.ts';
import { kubePodsVersion } from '../ledger/pods-version.ts';
import { defaultSizeKeeperLimits, SizeKeeper } from '../ledger/size-keeper.ts';
import { Admission, type AdmissionDeps, decideBy } from './admit.ts';
import { BuiltinCounters, takeOver } from './complete.ts';
import { kubeLedgerStore, LedgerAccess, type LedgerEvents } from './ledger.ts';
import { defaultAdmissionLimits } from './limits.ts';
import { type DecisionObserver, PodHandler } from './pod-handler.ts';
import type { OperatorIdentity } from './pod-request.ts';
import { GroupCommit, NamespaceMutex } from './reserve.ts';
import { kubePodReader, type PodReader } from './verify.ts';
import { ViewGate } from './view-gate.ts';
import { Withdrawals } from './withdrawals.ts';

/** The room, put together, with the pruner, which shares the mutex and the identity of this process with it. */
export interface AdmissionParts {
  readonly handler: PodHandler;
  readonly guards: NamespaceGuards;
  readonly access: LedgerAccess;
  readonly pods: PodReader;
  readonly views: ViewGate;
  readonly podsVersion: PodsVersion;
  readonly pruner: LedgerPruner;
  readonly sizes: SizeKeeper;
}

export interface AdmissionOptions {
  readonly options: (namespace: string) => DecideOptions;
  readonly staleness: AdmissionDeps['staleness'];
  readonly scales: AdmissionDeps['scales'];
  /** Who we are, once that is known: the object is kept, and its name may change. */
  readonly self: OperatorIdentity;
  readonly events: LedgerEvents;
  readonly observer: DecisionObserver;
  readonly namespaces: GuardParts['namespaces'];
  readonly enforcement: AdmissionDeps['enforcement'] & GuardParts['enforcement'];
}

export function createAdmission(
  { world, clients, clock, random, identity, log, namespace: own }: OperatorContext,
  { options, staleness, scales, self, events, observer, namespaces, enforcement }: AdmissionOptions,
): AdmissionParts {
  const limits = defaultAdmissionLimits;
  const mutex = new NamespaceMutex((namespace, error) =>
    log.error('reconciling a ledger failed', { namespace, error }),
  );
  const store = kubeLedgerStore(clients.admission);
  const access = new LedgerAccess({ world, store, clock, events, callMs: limits.callMs });
  const pods = kubePodReader(clients.admission);
  const views = new ViewGate(world);
  const shared = { world, access, clock, random, identity, events, mutex };
  const counters = new BuiltinCounters({ client: clients.admission, clock });
  const admission = new Admission({
    world,
    decide: decideBy(world, clock, options),
    commits: new GroupCommit({ ...shared, limits, options }),
    withdrawals: new Withdrawals({ ...shared, limits }),
    access,
    pods,
    views,
    scales,
    counters,
    takeOver: takeOver.bind(undefined, clients.admission),
    staleness,
    enforcement,
    events,
    completed: observer.completed,
    identity,
    limits,
  });
  const guards = kubeGuards({ client: clients.admission, namespaces, own, enforcement });
  const { callMs } = limits;
  const handler = new PodHandler({ world, admission, counters, clock, options, self, observer, guards, callMs });
  const podsVersion = kubePodsVersion(clients.admission, limits.callMs);
  const pruner = new LedgerPruner({ ...shared, limits: defaultPrunerLimits, podsVersion });
  const sizes = new SizeKeeper({ world, access, mutex, clock, limits: defaultSizeKeeperLimits });
  return { handler, guards, access, pods, views, podsVersion, pruner, sizes };
}
