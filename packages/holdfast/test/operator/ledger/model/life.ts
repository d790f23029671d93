import { ns } from '../../../../../../test/support/builders.ts';
import type { DisruptionLedger } from '../../../../src/api/ledger.ts';
import type { Effects } from '../../../../src/core/verdict.ts';
import { ApiServer, firstLedgerVersion } from '../../../core/ledger-model/api-server.ts';
import { Random } from '../../../core/ledger-model/random.ts';
import { type Budgets, downAtFirst, randomBudgets } from '../../../core/ledger-model/setup.ts';
import { TestClock } from '../../../kube/support/test-clock.ts';
import { request } from '../support/a-service.ts';
import { type Command, replicas } from './commands.ts';
import { checkAvailability, checkReleases, checkReservedOnce, type Going } from './invariants.ts';
import { Replica } from './replica.ts';

/** A request that was answered "allowed" and that the API server has not acted on yet. */
interface InFlight extends Going {
  readonly effects: Effects;
  readonly askedAt: number;
}

export interface LifeStats {
  admitted: number;
  refused: number;
  /** Those of them for which what the verdict rested on had moved on. */
  stopped: number;
  writes: number;
  crashes: number;
  returned: number;
}

/** The API server gives up on a request after this; then it never happens. */
const requestTimeoutMs = 34_000;
const webhookTimeoutMs = 10_000;

/** One life of a namespace with three real ledger services, told command by command. */
export class Life {
  readonly stats: LifeStats = { admitted: 0, refused: 0, stopped: 0, writes: 0, crashes: 0, returned: 0 };
  readonly #clock = new TestClock();
  readonly #server: ApiServer;
  readonly #budgets: Budgets;
  readonly #replicas: Replica[] = [];
  readonly #ledgers: DisruptionLedger[] = [];
  #inFlight: InFlight[] = [];
  #leader = 0;
  /** How the names of a group begin of which a pod was stopped. */
  #stopped = 'llm-';
  /** What was found wrong where an exception would be lost. */
  #wrong: unknown;

  constructor(seed: number) {
    const random = new Random(seed);
    this.#server = new ApiServer(firstLedgerVersion(seed));
    const chance = () => random.below(1_000) / 1_000;
    this.#budgets = randomBudgets(random);
    const { groups, size } = this.#budgets;
    for (let i = 0; i < groups * size; i += 1) this.#server.create(Math.floor(i / size), i % size, size, true);
    for (const pod of downAtFirst(random, this.#budgets)) this.#server.fail(pod);
    for (let i = 0; i < replicas; i += 1) {
      const skew = (random.below(601) - 300) * 1_000;
      const clock = {
        now: () => this.#clock.now() + skew,
        monotonic: () => this.#clock.monotonic(),
        after: (ms: number, callback: () => void) => this.#clock.after(ms, callback),
      };
      this.#replicas.push(
        new Replica({
          server: this.#server,
          budgets: this.#budgets,
          clock,
          identity: `replica-${i}`,
          latency: () => 1 + random.below(8),
          chance,
          onWrite: (before, after) => this.#onWrite(before, after),
          failed: (error) => this.#fail(error),
        }),
      );
    }
    this.#replica(0).process.pruner.lead();
  }

  async run(commands: readonly Command[]): Promise<void> {
    for (const command of commands) {
      await this.#do(command);
      this.#check();
    }
    await this.#settle();
  }

  async #do(command: Command): Promise<void> {
    switch (command.do) {
      case 'ask':
        return this.#ask(command);
      case 'act':
        return this.#act(command.which, command.goneAway);
      case 'churn':
        return this.#churn(command.which, command.inSteps);
      case 'watch':
        return this.#replica(command.replica).watch(command.events);
      case 'bookmark':
        return this.#replica(command.replica).bookmark();
      case 'watchLedger':
        return this.#watchLedger(command.replica, command.back);
      case 'wait':
        return this.#wait(command.ms);
      case 'fault':
        this.#replica(command.replica).store.faults.push(command.fault);
        return;
      case 'crash':
        return this.#crash(command.replica);
      case 'lead':
        return this.#lead(command.replica);
    }
  }

  #replica(index: number): Replica {
    return this.#replicas[index % replicas] as Replica;
  }

  #ask({ replica: index, pod: which, operation: wanted, again }: Extract<Command, { do: 'ask' }>): void {
    const all = [...this.#server.pods.keys()];
    const pod = pick(again ? all.filter((name) => name.startsWith(this.#stopped)) : all, which);
    if (pod === undefined) return;
    const replica = this.#replica(index);
    const { life } = replica;
    const askedAt = this.#clock.monotonic();
    // A PDB guards evictions alone; a delete of a pod under it would be no mistake.
    const operation = this.#budgets.pdbs.length > 0 ? 'EVICT' : wanted;
    const uid = this.#server.pods.get(pod)?.uid ?? '';
    void replica.process.service.submit(request(pod, { operation, uid }), webhookTimeoutMs).then((verdict) => {
      // No client hears the answer of a process that died, or one that comes too late.
      if (replica.life !== life || this.#clock.monotonic() - askedAt > requestTimeoutMs) return;
      if (verdict.result === 'deny') {
        this.stats.refused += 1;
        if (verdict.blockers.some((one) => one.code === 'PodUnknown')) {
          this.stats.stopped += 1;
          this.#stopped = pod.slice(0, pod.lastIndexOf('-') + 1);
        }
        return;
      }
      this.stats.admitted += 1;
      this.#inFlight.push({ pod, uid, effects: verdict.effects, askedAt });
      this.#checked();
    });
  }

  #act(which: number, goneAway: boolean): void {
    const admitted = pick(this.#inFlight, which);
    if (admitted === undefined) return;
    this.#inFlight = this.#inFlight.filter((one) => one !== admitted);
    if (goneAway || this.#server.pods.get(admitted.pod)?.uid !== admitted.uid || !this.#holds(admitted)) return;
    this.#server.terminate(admitted.pod);
  }

  /** The target's version is a precondition of a takeover's delete. Where the API server deletes, nothing is checked any more. */
  #holds({ pod, effects: { onlyIf, complete } }: InFlight): boolean {
    if (onlyIf === undefined || complete === 'pass') return true;
    return String(this.#server.pods.get(pod)?.version) === onlyIf.resourceVersion;
  }

  /** Pods that were deleted are gone at last, are created again, and come up. */
  #churn(which: number, inSteps: boolean): void {
    const name = pick(this.#unsettled(), which);
    if (name === undefined) return;
    const pod = this.#server.pods.get(name);
    const [, group, worker] = name.split('-').map(Number);
    if (pod === undefined) this.#server.create(group ?? 0, worker ?? 0, this.#budgets.size, false);
    else if (pod.terminating) this.#server.remove(name);
    // A container takes longer to start than a watch to tell of its pod: no pod serves before every view has it.
    else if (this.#replicas.every((replica) => replica.knows(pod.uid))) this.#server.comeUp(name, inSteps);
  }

  #unsettled(): readonly string[] {
    const { groups, size } = this.#budgets;
    const names = Array.from({ length: groups * size }, (_, i) => `llm-${Math.floor(i / size)}-${i % size}`);
    return names.filter((name) => {
      const pod = this.#server.pods.get(name);
      return pod === undefined || pod.terminating || !pod.ready;
    });
  }

  #watchLedger(index: number, back: number): void {
    const ledger = this.#ledgers.at(-1 - back);
    if (ledger !== undefined) this.#replica(index).seeLedger(ledger);
  }

  async #wait(ms: number): Promise<void> {
    await this.#clock.advance(ms);
    const now = this.#clock.monotonic();
    this.#inFlight = this.#inFlight.filter((one) => now - one.askedAt <= requestTimeoutMs);
  }

  #crash(index: number): void {
    this.stats.crashes += 1;
    this.#replica(index).crash();
    if (index === this.#leader) this.#replica(index).process.pruner.lead();
  }

  /** The old leader hears of it, too, but what it has sent is sent. */
  #lead(index: number): void {
    this.#replica(this.#leader).process.pruner.resign();
    this.#leader = index;
    this.#replica(index).process.pruner.lead();
  }

  #onWrite(before: DisruptionLedger | undefined, after: DisruptionLedger): void {
    this.stats.writes += 1;
    this.#ledgers.push(after);
    const now = this.#clock.monotonic();
    const going = this.#inFlight.filter((one) => now - one.askedAt <= requestTimeoutMs);
    this.#watched(() => {
      this.stats.returned += checkReleases(before, after, this.#server, going);
      checkReservedOnce(after);
    });
  }

  #check(): void {
    this.#checked();
    if (this.#wrong !== undefined) throw this.#wrong;
  }

  #checked(): void {
    const now = this.#clock.monotonic();
    const going = this.#inFlight.filter((one) => this.#holds(one) && now - one.askedAt <= requestTimeoutMs);
    this.#watched(() => checkAvailability(this.#server, this.#budgets, going));
  }

  #watched(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#wrong ??= error;
  }

  /** I9: nothing stays reserved for good. Every replica catches up, pods finish what they do, time passes. */
  async #settle(): Promise<void> {
    await this.#wait(webhookTimeoutMs);
    this.#inFlight = [];
    for (const replica of this.#replicas) replica.store.faults.length = 0;
    for (const [name, pod] of [...this.#server.pods]) {
      if (pod.terminating) this.#server.remove(name);
      else if (!pod.ready) this.#server.comeUp(name);
    }
    const leader = this.#replica(this.#leader);
    for (let round = 0; round < 6; round += 1) {
      leader.seeLedger(this.#server.ledger);
      leader.bookmark();
      await this.#wait(round < 3 ? 450_000 : 60_000);
    }
    this.#check();
    const left = this.#server.ledger.spec?.reservations ?? [];
    if (left.length > 0) throw new Error(`reserved for good in ${ns}: ${JSON.stringify(left)}`);
  }
}

function pick<T>(items: readonly T[], which: number): T | undefined {
  return items[which % Math.max(1, items.length)];
}
