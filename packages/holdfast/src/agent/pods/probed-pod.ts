import type { ContainerProbe } from '@holdfast/base/probes/probe';
import type { Clock } from '../../kube/time/clock.ts';
import type { Random } from '../../kube/time/random.ts';
import type { ProbePermits } from '../permits.ts';
import type { ProbeResult } from '../probes/probe-result.ts';
import type { ProbeQuestion, Prober } from '../probes/prober.ts';
import { type ProbeVerdict, refusalToProbe, type Standing, verdictOf } from '../verdict.ts';
import { ContainerWorker } from '../worker/container-worker.ts';
import type { ProbeSlots, SlotUser } from '../worker/probe-slots.ts';
import { firstDelay } from '../worker/rhythm.ts';
import type { AgentPod, ContainerInstance, ProbedPodView } from './agent-pod.ts';

/** What all pods of an agent share. */
export interface ProbingTerms {
  readonly clock: Clock;
  readonly random: Random;
  readonly prober: Prober;
  readonly slots: ProbeSlots;
  readonly permits: ProbePermits;
  /** Of this agent, monotonic. */
  readonly startedAt: number;
}

export type OnProbe = (container: string, question: ProbeQuestion, result: ProbeResult, tookMs: number) => void;

interface Asked {
  /** Another question, or another life of the container, needs another worker. */
  readonly key: string;
  readonly worker: ContainerWorker;
}

/** The workers of one pod, and what they have come to together. */
export class ProbedPod {
  readonly #terms: ProbingTerms;
  readonly #user: SlotUser;
  readonly #onProbe: OnProbe;
  readonly #workers = new Map<string, Asked>();
  #view: ProbedPodView;

  constructor(pod: AgentPod, view: ProbedPodView, terms: ProbingTerms, onProbe: OnProbe) {
    this.#terms = terms;
    this.#user = { namespace: pod.metadata.namespace, pod: pod.metadata.uid };
    this.#onProbe = onProbe;
    this.#view = view;
    this.update(pod, view);
  }

  update(pod: AgentPod, view: ProbedPodView): void {
    this.#view = view;
    const wanted = new Map(this.#probes().flatMap((probe) => this.#wanted(pod, probe)));
    for (const [container, { key, worker }] of this.#workers) {
      if (wanted.get(container)?.key === key) continue;
      worker.close();
      this.#workers.delete(container);
    }
    for (const [container, { key, begin }] of wanted) {
      if (!this.#workers.has(container)) this.#workers.set(container, { key, worker: begin() });
    }
  }

  verdict(): ProbeVerdict {
    const refusal = this.#refusal();
    if (refusal !== undefined) return refusal;
    return verdictOf(
      this.#probes().map(({ container = '' }) => {
        const worker = this.#workers.get(container)?.worker;
        return { container, tally: worker?.tally, overdue: worker?.overdue ?? false };
      }),
    );
  }

  /** What this agent can say about what another said at the time `since` of the wall clock. */
  standing(since: number): Standing {
    if (this.verdict().disruptable) return 'yes';
    const probes = this.#probes();
    const untouched = probes.length > 0 && probes.every(({ container = '' }) => this.#isUntouched(container, since));
    return untouched ? 'unasked' : 'no';
  }

  close(): void {
    for (const { worker } of this.#workers.values()) worker.close();
    this.#workers.clear();
  }

  /** It has been running since before, by a clock that tells whole seconds, and its first answer was no other. */
  #isUntouched(container: string, since: number): boolean {
    const worker = this.#workers.get(container)?.worker;
    const startedAt = this.#view.running.get(container)?.startedAt;
    if (worker === undefined || startedAt === undefined || startedAt + 1_000 > since) return false;
    return worker.tally.last === undefined || (worker.tally.disruptable === true && !worker.overdue);
  }

  #refusal(): ProbeVerdict | undefined {
    return refusalToProbe(this.#view, this.#user.namespace, this.#terms.permits);
  }

  #probes(): readonly ContainerProbe[] {
    if (this.#refusal() !== undefined || !this.#view.probes.ok) return [];
    return this.#view.probes.value;
  }

  #wanted(pod: AgentPod, probe: ContainerProbe) {
    const { container = '' } = probe;
    const { address, running, ports } = this.#view;
    const run = running.get(container);
    if (run === undefined || address === undefined) return [];
    const { namespace, name } = pod.metadata;
    const question: ProbeQuestion = {
      handler: probe.handler,
      timeoutSeconds: probe.timeoutSeconds,
      namespace,
      pod: name,
      container,
      address,
      ports: ports.get(container) ?? new Map<string, number>(),
    };
    const key = JSON.stringify([run.id, probe, address, [...question.ports]]);
    return [[container, { key, begin: () => this.#begin(probe, run, question) }] as const];
  }

  #begin(probe: ContainerProbe, run: ContainerInstance, question: ProbeQuestion): ContainerWorker {
    const { clock, random, slots, prober, startedAt } = this.#terms;
    let tookMs = 0;
    return new ContainerWorker({
      probe,
      clock,
      firstDelayMs: firstDelay({
        probe,
        runningForMs: run.startedAt === undefined ? 0 : clock.now() - run.startedAt,
        agentForMs: clock.monotonic() - startedAt,
        chance: random(),
      }),
      ask: (signal) =>
        slots.run(this.#user, signal, async () => {
          const start = clock.monotonic();
          const result = await prober(question, signal);
          tookMs = clock.monotonic() - start;
          return result;
        }),
      onResult: (result) => this.#onProbe(question.container, question, result, tookMs),
    });
  }
}
