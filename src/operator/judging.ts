import type { DecideOptions } from '../core/decide/decide.ts';
import type { OperatorContext } from './context.ts';
import { kubeLedgerStore, kubePodReader } from './ledger/kube-store.ts';
import { LedgerAccess } from './ledger/ledger-access.ts';
import { defaultPrunerLimits, LedgerPruner } from './ledger/ledger-pruner.ts';
import { LedgerService, type ServiceParts } from './ledger/ledger-service.ts';
import { defaultLedgerLimits } from './ledger/limits.ts';
import { kubePodsVersion } from './ledger/pods-version.ts';
import type { LedgerEvents, PodReader } from './ledger/ports.ts';
import { defaultSizeKeeperLimits, SizeKeeper } from './ledger/size-keeper.ts';
import { Turns } from './ledger/turns.ts';
import { ViewGate } from './ledger/view-gate.ts';

/** All that has to do with the ledgers, put together: they share turns, and the identity of this process. */
export interface Judging {
  readonly access: LedgerAccess;
  readonly pods: PodReader;
  readonly views: ViewGate;
  readonly service: LedgerService;
  readonly pruner: LedgerPruner;
  readonly sizes: SizeKeeper;
}

export interface JudgingTerms {
  readonly options: (namespace: string) => DecideOptions;
  readonly staleness: ServiceParts['staleness'];
  readonly events: LedgerEvents;
}

export function createJudging(
  { world, clients, clock, random, identity, log }: OperatorContext,
  { options, staleness, events }: JudgingTerms,
): Judging {
  const turns = new Turns((namespace, error) => log.error('work on a ledger failed', { namespace, error }));
  const store = kubeLedgerStore(clients.admission);
  const access = new LedgerAccess({ world, store, clock, events, callMs: defaultLedgerLimits.callMs });
  const pods = kubePodReader(clients.admission);
  const views = new ViewGate(world);
  const common = { world, access, clock, random, identity, events, turns };
  const service = new LedgerService({ ...common, pods, views, limits: defaultLedgerLimits, options, staleness });
  const podsVersion = kubePodsVersion(clients.admission, defaultLedgerLimits.callMs);
  const pruner = new LedgerPruner({ ...common, limits: defaultPrunerLimits, podsVersion });
  const sizes = new SizeKeeper({ world, access, turns, clock, limits: defaultSizeKeeperLimits });
  return { access, pods, views, service, pruner, sizes };
}
