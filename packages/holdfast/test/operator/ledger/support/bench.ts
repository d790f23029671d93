import { inShort } from '../../../../../../test/support/a-world.ts';
import type { DisruptionLedger } from '../../../../src/api/ledger.ts';
import type { DecideOptions } from '../../../../src/core/decide/decide.ts';
import type { DisruptionRequest } from '../../../../src/core/request.ts';
import type { Verdict } from '../../../../src/core/verdict.ts';
import type { World } from '../../../../src/core/world/world.ts';
import type { BuiltinCounters, Completion, Takeover } from '../../../../src/operator/admission/complete.ts';
import type { Deadline } from '../../../../src/operator/admission/deadline.ts';
import type { AdmissionLimits } from '../../../../src/operator/admission/limits.ts';
import type { PodReader } from '../../../../src/operator/admission/verify.ts';
import type { PodsVersion, PrunerLimits } from '../../../../src/operator/ledger/ledger-pruner.ts';
import { TestClock } from '../../../kube/support/test-clock.ts';
import { aProcess, type Process } from './a-service.ts';
import { type Backend, FakeLedgers } from './fake-ledgers.ts';

interface Setup {
  readonly world: World;
  /** What the API server has; absent: none. */
  readonly stored?: DisruptionLedger;
  /** Another process, whose API server and time this one shares. */
  readonly beside?: Bench;
  readonly identity?: string;
  readonly random?: () => number;
  readonly pods?: PodReader;
  readonly limits?: Partial<AdmissionLimits>;
  readonly prunerLimits?: Partial<PrunerLimits>;
  readonly staleness?: () => string | undefined;
  readonly failed?: (namespace: string, error: unknown) => void;
  readonly options?: DecideOptions;
  readonly takeOver?: (takeover: Takeover, deadline: Deadline) => Promise<Completion>;
  readonly podsVersion?: PodsVersion;
  readonly counters?: Pick<BuiltinCounters, 'take'>;
}

/** One process on one API server, in virtual time, with everything it reports written down. */
export interface Bench extends Process {
  readonly world: World;
  readonly clock: TestClock;
  readonly store: FakeLedgers;
  readonly backend: Backend;
  readonly reports: string[];
  /** Asks, lets time pass until the answer is there, and says it in short. */
  ask(request: DisruptionRequest, timeoutMs?: number): Promise<string>;
  answer(request: DisruptionRequest, timeoutMs?: number): Promise<Verdict>;
  reserved(): readonly string[];
}

export function aBench(setup: Setup): Bench {
  const clock = setup.beside?.clock ?? new TestClock();
  const backend: Backend = setup.beside?.backend ?? { ledger: setup.stored, ledgerVersion: 1_000 };
  const store = new FakeLedgers(backend, clock, () => 5);
  const reports: string[] = [];
  const events = {
    batch: (_: string, requests: number, reserved: number, attempts: number) =>
      reports.push(`batch of ${requests} reserved ${reserved} in ${attempts}`),
    wrote: (_: string, writer: string, outcome: string, ms: number) => reports.push(`${writer} ${outcome} ${ms} ms`),
    abandoned: (_: string, pod: string) => reports.push(`abandoned ${pod}`),
    released: (_: string, { pod }: { pod: string }, why: string) => reports.push(`released ${pod}: ${why}`),
  };
  const process = aProcess({ ...setup, store, clock, events });
  const answer = async (request: DisruptionRequest, timeoutMs = 10_000): Promise<Verdict> => {
    let verdict: Verdict | undefined;
    void process.service.submit(request, timeoutMs).then((one) => {
      verdict = one;
    });
    await clock.advanceUntil(() => verdict !== undefined, timeoutMs + 1, 1);
    if (verdict === undefined) throw new Error('no answer in time');
    return verdict;
  };
  return {
    ...process,
    world: setup.world,
    clock,
    store,
    backend,
    reports,
    answer,
    ask: async (request, timeoutMs) => inShort(await answer(request, timeoutMs)),
    reserved: () => (backend.ledger?.spec?.reservations ?? []).map((one) => one.pod),
  };
}
