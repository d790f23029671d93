import type { DisruptionRequest } from '../../../../src/core/request.ts';
import type { Verdict } from '../../../../src/core/verdict.ts';
import type { World } from '../../../../src/core/world/world.ts';
import type { Clock } from '../../../../src/kube/time/clock.ts';
import { LedgerAccess } from '../../../../src/operator/ledger/ledger-access.ts';
import {
  defaultPrunerLimits,
  LedgerPruner,
  type PodsVersion,
  type PrunerLimits,
} from '../../../../src/operator/ledger/ledger-pruner.ts';
import { LedgerService } from '../../../../src/operator/ledger/ledger-service.ts';
import { defaultLedgerLimits, type LedgerLimits } from '../../../../src/operator/ledger/limits.ts';
import type { LedgerEvents, LedgerStore, PodReader, PodReading } from '../../../../src/operator/ledger/ports.ts';
import { Turns } from '../../../../src/operator/ledger/turns.ts';
import { ViewGate } from '../../../../src/operator/ledger/view-gate.ts';
import { ns } from '../../../support/builders.ts';

interface Ingredients {
  readonly world: World;
  readonly store: LedgerStore;
  readonly clock: Clock;
  readonly pods?: PodReader;
  readonly identity?: string;
  readonly random?: () => number;
  readonly events?: LedgerEvents;
  readonly limits?: Partial<LedgerLimits>;
  readonly prunerLimits?: Partial<PrunerLimits>;
  readonly staleness?: () => string | undefined;
  readonly failed?: (namespace: string, error: unknown) => void;
  readonly podsVersion?: PodsVersion;
}

export interface Process {
  readonly service: LedgerService;
  readonly pruner: LedgerPruner;
  readonly views: ViewGate;
}

/** What one replica of the operator consists of, as far as the ledger is concerned. */
export function aProcess(given: Ingredients): Process {
  const { world, store, clock, identity = 'a', events = {} } = given;
  const limits = { ...defaultLedgerLimits, ...given.limits };
  const turns = new Turns(
    given.failed ??
      ((_, error) => {
        throw error;
      }),
  );
  const views = new ViewGate(world);
  const access = new LedgerAccess({ world, store, clock, events, callMs: limits.callMs });
  const shared = { world, access, clock, turns, identity, events };
  const random = given.random ?? (() => 0.5);
  const pods = given.pods ?? readerOf(world);
  const staleness = given.staleness ?? (() => undefined);
  const service = new LedgerService({ ...shared, random, limits, views, pods, staleness, options: () => ({}) });
  const podsVersion = given.podsVersion ?? (async () => '1001');
  const pruner = new LedgerPruner({
    ...shared,
    podsVersion,
    limits: { ...defaultPrunerLimits, ...given.prunerLimits },
  });
  return { service, pruner, views };
}

/** A reader that finds what the view has: nothing has moved on. */
function readerOf(world: World): PodReader {
  return {
    async read(namespace, name): Promise<PodReading> {
      const pod = world.pod(namespace, name);
      if (pod === undefined) return { kind: 'missing' };
      return { kind: 'found', uid: pod.uid, resourceVersion: pod.resourceVersion };
    },
  };
}

export const request = (pod: string, more: Partial<DisruptionRequest> = {}): DisruptionRequest => {
  return { operation: 'EVICT', namespace: ns, pod, ...more };
};

/** The text of a refusal, for those who look at its words. */
export function wordsOf(verdict: Verdict): string {
  return verdict.result === 'deny' ? verdict.message : '';
}
