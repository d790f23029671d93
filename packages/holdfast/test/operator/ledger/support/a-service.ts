import { ns } from '../../../../../../test/support/builders.ts';
import { type DecideOptions, decide } from '../../../../src/core/decide/decide.ts';
import type { DisruptionRequest } from '../../../../src/core/request.ts';
import type { Verdict } from '../../../../src/core/verdict.ts';
import type { World } from '../../../../src/core/world/world.ts';
import type { Clock } from '../../../../src/kube/time/clock.ts';
import { Admission } from '../../../../src/operator/admission/admit.ts';
import type { BuiltinCounters, Completion, Takeover } from '../../../../src/operator/admission/complete.ts';
import { Deadline } from '../../../../src/operator/admission/deadline.ts';
import { LedgerAccess, type LedgerEvents, type LedgerStore } from '../../../../src/operator/admission/ledger.ts';
import { type AdmissionLimits, defaultAdmissionLimits } from '../../../../src/operator/admission/limits.ts';
import { GroupCommit, NamespaceMutex } from '../../../../src/operator/admission/reserve.ts';
import type { PodReader, PodReading } from '../../../../src/operator/admission/verify.ts';
import { ViewGate } from '../../../../src/operator/admission/view-gate.ts';
import { Withdrawals } from '../../../../src/operator/admission/withdrawals.ts';
import {
  defaultPrunerLimits,
  LedgerPruner,
  type PodsVersion,
  type PrunerLimits,
} from '../../../../src/operator/ledger/ledger-pruner.ts';

interface Ingredients {
  readonly world: World;
  readonly store: LedgerStore;
  readonly clock: Clock;
  readonly pods?: PodReader;
  readonly identity?: string;
  readonly random?: () => number;
  readonly events?: LedgerEvents;
  readonly limits?: Partial<AdmissionLimits>;
  readonly prunerLimits?: Partial<PrunerLimits>;
  readonly staleness?: () => string | undefined;
  readonly failed?: (namespace: string, error: unknown) => void;
  readonly options?: DecideOptions;
  readonly podsVersion?: PodsVersion;
  /** Absent: it says that it was done, and leaves the pod to the test. */
  readonly takeOver?: (takeover: Takeover, deadline: Deadline) => Promise<Completion>;
  /** Absent: the counters of plain PDBs always give. */
  readonly counters?: Pick<BuiltinCounters, 'take'>;
}

/** Requests of others than ourselves, each with a deadline of its own. */
export interface Service {
  submit(request: DisruptionRequest, timeoutMs: number): Promise<Verdict>;
}

export interface Process {
  readonly admission: Admission;
  readonly service: Service;
  readonly pruner: LedgerPruner;
  readonly views: ViewGate;
}

/** What one replica of the operator consists of, as far as the ledger is concerned. */
export function aProcess(given: Ingredients): Process {
  const { world, store, clock, identity = 'a', events = {}, options = {} } = given;
  const limits = { ...defaultAdmissionLimits, ...given.limits };
  const mutex = new NamespaceMutex(
    given.failed ??
      ((_, error) => {
        throw error;
      }),
  );
  const views = new ViewGate(world);
  const access = new LedgerAccess({ world, store, clock, events, callMs: limits.callMs });
  const shared = { world, access, clock, mutex, identity, events, random: given.random ?? (() => 0.5) };
  const admission = new Admission({
    world,
    decide: (request) => decide(world, request, clock.now(), options),
    commits: new GroupCommit({ ...shared, limits, options: () => options }),
    withdrawals: new Withdrawals({ ...shared, limits }),
    access,
    pods: given.pods ?? readerOf(world),
    views,
    counters: given.counters ?? { take: async () => ({ kind: 'taken', giveBack: async () => undefined }) },
    scales: { concerns: () => false, readAgain: async () => false },
    takeOver: given.takeOver ?? (() => Promise.resolve({ kind: 'deleted' })),
    staleness: given.staleness ?? (() => undefined),
    enforcement: { startingIn: () => undefined },
    events,
    completed: () => undefined,
    identity,
    limits,
  });
  const podsVersion = given.podsVersion ?? (async () => '1001');
  const pruner = new LedgerPruner({
    ...shared,
    podsVersion,
    limits: { ...defaultPrunerLimits, ...given.prunerLimits },
  });
  return { admission, service: serviceOf(admission, clock), pruner, views };
}

function serviceOf(admission: Admission, clock: Clock): Service {
  return {
    async submit(request, timeoutMs) {
      const deadline = new Deadline(clock, timeoutMs);
      return admission.admit({ request, own: false }, deadline).finally(() => deadline.release());
    },
  };
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
