import { ns } from '../../../../../test/support/builders.ts';
import { type Admitted, basisHolds, mayStillGo } from './admitted.ts';
import { ApiServer, firstLedgerVersion } from './api-server.ts';
import { PlainBudget } from './plain-budget.ts';
import { Random } from './random.ts';
import { type Answer, Replica } from './replica.ts';
import { type Budgets, type BudgetsBesidePlain, budgetsBesidePlain, downAtFirst, randomBudgets } from './setup.ts';

export interface ScheduleStats {
  admitted: number;
  /** Allowed and reserved, and then not admitted: what the verdict rested on was not so any more. */
  stopped: number;
  refused: number;
  conflicts: number;
  crashes: number;
  returned: number;
  /** Of those, the ones that were taken back by who had reserved them. */
  withdrawn: number;
}

export const nothingYet: ScheduleStats = {
  admitted: 0,
  stopped: 0,
  refused: 0,
  conflicts: 0,
  crashes: 0,
  returned: 0,
  withdrawn: 0,
};

/** `plain`: a plain PDB over all pods, and budgets of ours that come and go over some of them. */
export type Stage = 'ours' | 'plain';

/** What stands beside the budgets of ours on the plain stage. */
interface Beside {
  readonly budget: PlainBudget;
  readonly even: BudgetsBesidePlain['even'];
  /** Ready pods at the start: a budget that could not be met then is not expected to be. */
  readonly readyAtFirst: number;
  /** Whether the budget of ours is there, and since when it is or is not. */
  evenThere: boolean;
  evenSince: number;
  /** Evictions that the built-in check has admitted, and that have not deleted their pods yet. */
  admitted: { readonly pod: string; readonly askedAt: number }[];
  /** Takeovers that have still to take from the plain PDB's counter, by the replica that completes them. */
  untaken: (Admitted & { readonly replica: number })[];
}

/** A namespace is guarded, and API servers have noticed, this long after its first budget of ours came. */
const guardedAfterMs = 10_000;

/** The API server gives up on a request after this; then it never happens. */
const requestTimeoutMs = 34_000;
const replicas = 3;
/** Around every limit that the ledger knows. */
const pauses = [5_000, 20_000, 34_000, 36_000, 90_000, 125_000] as const;

/**
 * One random life of a namespace: clients ask, replicas judge from views that lag, writes race, processes crash between the
 * write and the delete, clocks differ by minutes, pods go and come back. After each step the invariants are checked on the truth.
 */
export class Schedule {
  readonly stats: ScheduleStats = { ...nothingYet };
  readonly transcript: string[] = [];
  readonly #random: Random;
  readonly #budgets: Budgets;
  readonly #server: ApiServer;
  readonly #replicas: Replica[] = [];
  /** Allowed and reserved; what the verdicts rest on is still to be looked at, by the replica that gave them. */
  #unchecked: (Admitted & { readonly replica: number })[] = [];
  /** Answered "allowed"; the API server has not acted on them yet. */
  #inFlight: (Admitted & { readonly replica: number })[] = [];
  /** The groups of which a pod was stopped last: their pods are asked for again. */
  #stopped: number[] = [];
  #now = 1_800_000_000_000;
  #leader = 0;
  #asked = 0;
  readonly #keepTranscript: boolean;
  /** Every third installation takes no eviction over (P9). */
  readonly #takeover: 'on' | 'off';
  /** Takeovers are refused after they were reserved, and take their reservations back (L7); in the other schedules none has time for it. */
  readonly #refusesTakeovers: boolean;
  readonly #beside: Beside | undefined;

  constructor(seed: number, stage: Stage = 'ours', keepTranscript = false) {
    this.#random = new Random(seed);
    this.#takeover = seed % 3 === 0 ? 'off' : 'on';
    this.#refusesTakeovers = [5, 8].includes(seed % 11);
    this.#server = new ApiServer(firstLedgerVersion(seed));
    this.#keepTranscript = keepTranscript;
    const beside = stage === 'plain' ? budgetsBesidePlain(this.#random) : undefined;
    this.#budgets = beside ?? randomBudgets(this.#random);
    const { groups, size, minimum, desired, desiredEven } = this.#budgets;
    this.#say(
      `${groups} groups of ${size}, ${minimum} serve; ${desired} of all and ${desiredEven} of the even ones are needed`,
    );
    for (let group = 0; group < groups; group += 1) {
      for (let worker = 0; worker < size; worker += 1) this.#server.create(group, worker, size, true);
    }
    for (const pod of downAtFirst(this.#random, this.#budgets)) {
      this.#server.fail(pod);
      this.#say(`${pod} is down`);
    }
    this.#beside = beside === undefined ? undefined : this.#standBeside(beside);
    for (let i = 0; i < replicas; i += 1) {
      const skew = (this.#random.below(601) - 300) * 1000;
      this.#replicas.push(new Replica(this.#server, this.#budgets, skew, { takeover: this.#takeover }));
    }
  }

  /** Throws with what is wrong; the caller knows the seed. */
  run(steps: number): void {
    for (let i = 0; i < steps; i += 1) {
      this.#step();
      this.#check();
    }
    this.#settle();
  }

  #standBeside({ desiredPods, even }: BudgetsBesidePlain): Beside {
    const budget = new PlainBudget(this.#server, desiredPods);
    budget.watch(Number.POSITIVE_INFINITY);
    budget.recount(this.#now);
    const readyAtFirst = [...this.#server.pods.values()].filter(({ ready }) => ready).length;
    this.#say(`a plain budget needs ${desiredPods} pods, ${readyAtFirst} are ready`);
    const since = { evenThere: false, evenSince: this.#now };
    const beside: Beside = { budget, even, readyAtFirst, ...since, admitted: [], untaken: [] };
    this.#toggle(beside);
    return beside;
  }

  /** The budget of ours comes or goes. */
  #toggle(beside: Beside): void {
    const { even } = beside;
    beside.evenThere = !beside.evenThere;
    beside.evenSince = this.#now;
    const there = beside.evenThere;
    this.#say(`a ${even.kind} over the even groups ${there ? 'comes' : 'goes'}`);
    this.#server.budgetChanges.push((world) => {
      if (even.kind === 'pdb') there ? world.upsertPdb(even.pdb) : world.deletePdb(ns, 'even');
      else there ? world.upsertPub(even.pub) : world.deletePub(ns, 'even');
    });
  }

  /** What happens on the plain stage besides: true when it was such a step. */
  #besideStep(beside: Beside): boolean {
    const roll = this.#random.below(100);
    if (roll < 12) {
      if (this.#random.chance(80)) beside.budget.watch(1 + this.#random.below(4));
      beside.budget.recount(this.#now);
      this.#say('the disruption controller counts');
    } else if (roll < 22) this.#replica(this.#random.below(replicas)).watchBudgets(1 + this.#random.below(3));
    else if (roll < 30) this.#takeFromCounter(beside);
    else if (roll < 38) this.#deleteAdmitted(beside);
    else if (roll < 41) this.#toggle(beside);
    else if (roll < 45) this.#evictUnguarded(beside);
    else return false;
    return true;
  }

  /** A replica takes from the counter before it deletes, or is refused: then it takes its reservation back. */
  #takeFromCounter(beside: Beside): void {
    const one = this.#random.pick(beside.untaken);
    if (one === undefined) return;
    beside.untaken = beside.untaken.filter((other) => other !== one);
    if (!this.#isHeard(one)) return;
    const taken = beside.budget.takes(one.pod, this.#now);
    this.#say(`replica ${one.replica} ${taken ? 'takes' : 'cannot take'} ${one.pod} from the plain budget`);
    if (taken) this.#inFlight.push(one);
    else if (this.#refusesTakeovers) this.#stop(one);
    else this.stats.stopped += 1;
  }

  /** A replica refuses what it had reserved, and takes that back: at once, some time later, or never if it has no time for it. */
  #stop({ replica, claim, uid }: Admitted & { readonly replica: number }): void {
    this.stats.stopped += 1;
    if (this.#random.chance(70)) this.#replica(replica).withdraw(claim, uid);
    if (this.#random.chance(50)) this.#send(replica);
  }

  #deleteAdmitted(beside: Beside): void {
    const one = this.#random.pick(beside.admitted);
    if (one === undefined) return;
    beside.admitted = beside.admitted.filter((other) => other !== one);
    if (this.#random.chance(15)) return;
    this.#say(`${one.pod} goes by the built-in check`);
    this.#server.terminate(one.pod);
  }

  /** Where no budget of ours is known to the API servers yet, or any more, evictions do not come to us. */
  #evictUnguarded(beside: Beside): void {
    const asked = !beside.evenThere || this.#now - beside.evenSince < guardedAfterMs;
    const pod = asked ? this.#random.pick([...this.#server.pods.keys()]) : undefined;
    if (pod !== undefined) this.#checkBuiltin(beside, pod, this.#now);
  }

  /** The API server's own check, and what it admits is under way. */
  #checkBuiltin(beside: Beside, pod: string, askedAt: number): void {
    const said = beside.budget.admits(pod, this.#now);
    this.#say(`the built-in check says of ${pod}: ${said}`);
    if (said === 'free') this.#server.terminate(pod);
    if (said !== 'taken') return;
    this.stats.admitted += 1;
    beside.admitted.push({ pod, askedAt });
    if (this.#random.chance(50)) this.#deleteAdmitted(beside);
  }

  /** Mostly whole requests and whole passes of the leader, so that much happens; sometimes only a part, so that they interleave. */
  #step(): void {
    if (this.#beside !== undefined && this.#besideStep(this.#beside)) return;
    const roll = this.#random.below(100);
    const replica = this.#random.below(replicas);
    if (roll < 30) this.#serve(replica);
    else if (roll < 36) this.#ask(replica);
    else if (roll < 42) this.#replica(replica).judge(this.#now);
    else if (roll < 48) this.#send(replica);
    else if (roll < 52) this.#confirm();
    else if (roll < 60) this.#act();
    else if (roll < 74) this.#churn();
    else if (roll < 80) this.#replica(replica).watch(1 + this.#random.below(3));
    else if (roll < 86) this.#lead();
    else if (roll < 89) this.#replica(this.#leader).prune(this.#now);
    else if (roll < 91) this.#replica(replica).readLedger();
    else if (roll < 97) this.#pass(this.#random.pick(pauses) ?? 0);
    else if (roll < 98) this.#replica(replica).bookmark();
    else if (roll < 99) this.#crash(replica);
    else this.#leader = replica;
  }

  #serve(index: number): void {
    this.#ask(index);
    this.#replica(index).judge(this.#now);
    this.#send(index);
    if (this.#random.chance(70)) this.#confirm();
    if (this.#beside !== undefined && this.#random.chance(60)) this.#takeFromCounter(this.#beside);
    if (this.#random.chance(60)) this.#act();
  }

  #lead(): void {
    const leader = this.#replica(this.#leader);
    if (this.#random.chance(50)) leader.watch(1 + this.#random.below(4));
    leader.prune(this.#now);
    // A write may take its time, and requests go on meanwhile.
    if (leader.write !== undefined && this.#random.chance(30)) {
      this.#pass(this.#random.pick(pauses) ?? 0);
      this.#repeat(this.#random.below(replicas));
    }
    this.#send(this.#leader);
  }

  /** A client asks again for what is reserved already. */
  #repeat(index: number): void {
    const reserved = (this.#server.ledger.spec?.reservations ?? []).map(({ pod }) => pod);
    this.#askFor(index, this.#random.pick(reserved));
    this.#replica(index).judge(this.#now);
    if (index !== this.#leader) this.#send(index);
  }

  #replica(index: number): Replica {
    return this.#replicas[index] as Replica;
  }

  #ask(index: number): void {
    this.#askFor(index, this.#random.pick(this.#askable()));
  }

  #askFor(index: number, pod: string | undefined): void {
    if (pod === undefined) return;
    // A PDB guards evictions alone; a delete of a pod under it would be no mistake.
    const evict = this.#budgets.pdbs.length > 0 || this.#beside !== undefined || this.#random.chance(70);
    const operation = evict ? 'EVICT' : 'DELETE';
    this.#say(`replica ${index} is asked: ${operation} ${pod}`);
    this.#asked += 1;
    const claim = String(this.#asked);
    const uid = this.#uidFor(index, operation, pod);
    const named = { namespace: ns, pod, claim, ...(uid === undefined ? {} : { uid }) };
    this.#replica(index).pending.push({ request: { operation, ...named }, askedAt: this.#now });
  }

  /** A DELETE shows the pod that it is about; an eviction names it, and is bound to the uid that the replica's view has (P9). */
  #uidFor(index: number, operation: 'EVICT' | 'DELETE', pod: string): string | undefined {
    const live = this.#server.pods.get(pod)?.uid;
    return operation === 'DELETE' ? live : (this.#replica(index).world.pod(ns, pod)?.uid ?? live);
  }

  /** Often those who were stopped come back, and so do the others of their groups; and often it is about pods that do not serve yet. */
  #askable(): readonly string[] {
    const all = [...this.#server.pods.keys()];
    const down = all.filter((name) => this.#server.pods.get(name)?.ready === false);
    if (down.length > 0 && this.#random.chance(15)) return down;
    const group = this.#random.chance(40) ? this.#random.pick(this.#stopped) : undefined;
    return group === undefined ? all : all.filter((name) => name.startsWith(`llm-${group}-`));
  }

  /** The compare-and-swap: it wins, loses, or wins and the answer is lost. */
  #send(index: number): void {
    const replica = this.#replica(index);
    const write = replica.write;
    if (write === undefined) return;
    replica.write = undefined;
    if (write.ledger !== undefined && !this.#server.writeLedger(write.ledger)) {
      this.stats.conflicts += 1;
      this.#say(`replica ${index} loses the race and reads the ledger`);
      replica.readLedger();
      if (write.kind === 'batch')
        replica.pending.unshift(...write.answers.map(({ request, askedAt }) => ({ request, askedAt })));
      return;
    }
    if (write.kind === 'withdraw') {
      this.stats.withdrawn += 1;
      this.#checkRelease(write.uid, 'returned');
    }
    if (write.kind === 'prune') {
      for (const { uid, why } of write.released) this.#checkRelease(uid, why);
    }
    if (this.#random.chance(4)) {
      this.#say(`replica ${index} dies before it answers`);
      this.#crash(index);
      return;
    }
    replica.readLedger();
    if (write.kind === 'batch') for (const answer of write.answers) this.#answer(index, answer);
  }

  #answer(index: number, { request, askedAt, verdict }: Answer): void {
    const { pod, claim = '' } = request;
    if (verdict.result === 'deny') {
      this.stats.refused += 1;
      this.#say(`replica ${index} refuses ${pod}: ${verdict.blockers.map((one) => one.code).join(',')}`);
      return;
    }
    const uid = verdict.effects.target?.uid ?? request.uid;
    this.#say(`replica ${index} allows ${pod} (${uid}): ${verdict.reason}`);
    if (uid === undefined) return;
    const admitted: Admitted = { pod, uid, effects: verdict.effects, askedAt, claim };
    const { onlyIf, restsOn } = verdict.effects;
    if (onlyIf === undefined && restsOn === undefined) this.#admit({ ...admitted, replica: index });
    else this.#unchecked.push({ ...admitted, replica: index });
  }

  /** No client hears an answer that comes too late. */
  #admit(admitted: Admitted & { readonly replica: number }): void {
    if (!this.#isHeard(admitted)) return;
    this.stats.admitted += 1;
    if (admitted.effects.count !== undefined) this.#beside?.untaken.push(admitted);
    else this.#inFlight.push(admitted);
  }

  /** A replica reads the pods that a verdict of its own rests on. Its reservation is written, whatever comes out. */
  #confirm(): void {
    const one = this.#random.pick(this.#unchecked);
    if (one === undefined) return;
    this.#unchecked = this.#unchecked.filter((other) => other !== one);
    if (basisHolds(this.#server, one.effects)) {
      this.#say(`replica ${one.replica} finds ${one.pod} as it was allowed`);
      this.#admit(one);
      return;
    }
    this.#stopped = [Number(one.pod.split('-')[1]), ...this.#stopped.slice(0, 1)];
    this.#say(`replica ${one.replica} stops ${one.pod}: what it rests on has moved on`);
    this.#stop(one);
  }

  /** The API server acts on what was admitted, or the client has gone away, or another webhook refuses the deletion of a takeover. */
  #act(): void {
    const admitted = this.#random.pick(this.#inFlight);
    if (admitted === undefined) return;
    this.#inFlight = this.#inFlight.filter((one) => one !== admitted);
    if (this.#refusesTakeovers && admitted.effects.complete === 'takeover' && this.#random.chance(15)) {
      this.#say(`the takeover of ${admitted.pod} is refused`);
      this.#stop(admitted);
      return;
    }
    if (this.#random.chance(15)) return;
    if (this.#beside !== undefined && admitted.effects.complete === 'pass') {
      this.#checkBuiltin(this.#beside, admitted.pod, admitted.askedAt);
      return;
    }
    if (!mayStillGo(this.#server, admitted)) return;
    this.#say(`${admitted.pod} goes`);
    this.#server.terminate(admitted.pod);
  }

  /** Pods that were deleted are gone at last, are created again, and come up. */
  #churn(): void {
    const name = this.#random.pick(this.#unsettled());
    if (name === undefined) return;
    const pod = this.#server.pods.get(name);
    const [, group, worker] = name.split('-').map(Number);
    if (pod === undefined) this.#server.create(group ?? 0, worker ?? 0, this.#budgets.size, false);
    else if (pod.terminating) this.#server.remove(name);
    else if (this.#everybodyKnows(pod.uid)) this.#server.comeUp(name, this.#random.chance(50));
    else return;
    this.#say(`${name} ${pod === undefined ? 'is created' : pod.terminating ? 'is gone' : 'comes up'}`);
  }

  #unsettled(): readonly string[] {
    const { groups, size } = this.#budgets;
    const names = Array.from({ length: groups * size }, (_, i) => `llm-${Math.floor(i / size)}-${i % size}`);
    return names.filter((name) => {
      const pod = this.#server.pods.get(name);
      return pod === undefined || pod.terminating || !pod.ready;
    });
  }

  /** A container takes longer to start than a watch to tell of its pod: no pod serves before every view has it. */
  #everybodyKnows(uid: string): boolean {
    return this.#replicas.every((replica) =>
      [...(replica.world.namespace(ns)?.pods.values() ?? [])].some((pod) => pod.uid === uid),
    );
  }

  #pass(ms: number): void {
    // A controller that lags by the two minutes it gives a deletion would let Kubernetes' own check overspend, without us.
    if (ms >= 20_000) this.#beside?.budget.watch(Number.POSITIVE_INFINITY);
    this.#now += ms;
    this.#inFlight = this.#inFlight.filter((one) => this.#isHeard(one));
    if (this.#beside !== undefined) this.#beside.admitted = this.#beside.admitted.filter((one) => this.#isHeard(one));
    this.#say(`${ms / 1000} s pass`);
  }

  #crash(index: number): void {
    this.stats.crashes += 1;
    this.#unchecked = this.#unchecked.filter((one) => one.replica !== index);
    if (this.#beside !== undefined) this.#beside.untaken = this.#beside.untaken.filter((one) => one.replica !== index);
    this.#replica(index).restart();
    this.#say(`replica ${index} restarts`);
  }

  /** I1 and I3 on the truth, with everything that is admitted taken for done. */
  #check(): void {
    if (this.#beside !== undefined) this.#checkPlain(this.#beside);
    const going = new Set(this.#inFlight.filter((one) => mayStillGo(this.#server, one)).map((one) => one.uid));
    const serving = new Map<number, number>();
    for (const pod of this.#server.pods.values()) {
      if (pod.ready && !pod.terminating && !going.has(pod.uid))
        serving.set(pod.group, (serving.get(pod.group) ?? 0) + 1);
    }
    const available = [...serving].filter(([, count]) => count >= this.#budgets.minimum).map(([group]) => group);
    const even = available.filter((group) => group % 2 === 0).length;
    if (available.length < this.#needed(false)) throw new Error(`overspent: ${available.length} groups serve`);
    if (even < this.#needed(true)) throw new Error(`overspent: ${even} even groups serve`);
    this.#checkLedger();
  }

  /** I1 of the plain budget: what we complete and what the built-in check admitted, together. */
  #checkPlain({ budget, readyAtFirst, admitted }: Beside): void {
    const takeovers = this.#inFlight.filter(
      (one) => one.effects.complete === 'takeover' && mayStillGo(this.#server, one),
    );
    const going = new Set([...takeovers, ...admitted].map(({ pod }) => pod));
    const serving = [...this.#server.pods].filter(([name, pod]) => pod.ready && !pod.terminating && !going.has(name));
    const needed = Math.min(budget.desired, readyAtFirst);
    if (serving.length < needed) throw new Error(`the plain budget is overspent: ${serving.length} of ${needed} pods`);
  }

  /** No pod fails by itself in this model, so a budget that could be met at the start is met at all times. */
  #needed(even: boolean): number {
    const { groups, desired, desiredEven } = this.#budgets;
    return even ? Math.min(desiredEven, Math.ceil(groups / 2)) : Math.min(desired, groups);
  }

  /** I5: one reservation for a pod, however often it was asked for. */
  #checkLedger(): void {
    const uids = (this.#server.ledger.spec?.reservations ?? []).map((one) => one.uid);
    if (new Set(uids).size !== uids.length) throw new Error(`reserved twice: ${uids.join(', ')}`);
  }

  /** I9: released when it happened, or when it can no longer happen. */
  #checkRelease(uid: string, why: string): void {
    const alive = [...this.#server.pods.values()].some((pod) => pod.uid === uid && !pod.terminating);
    if (!alive) return;
    this.stats.returned += 1;
    if (why !== 'returned') throw new Error(`${uid} is alive and was released as ${why}`);
    const underWay = [...this.#inFlight, ...this.#unchecked, ...(this.#beside?.untaken ?? [])];
    if (underWay.some((one) => one.uid === uid && this.#isHeard(one) && !this.#isBuiltin(one)))
      throw new Error(`${uid} was released and may still go`);
  }

  /** What we let pass to the built-in check goes by its counter, and rests on no reservation. */
  #isBuiltin({ effects }: Admitted): boolean {
    return this.#beside !== undefined && effects.complete === 'pass' && effects.reserve === undefined;
  }

  /** I9: nothing stays reserved for good. Every replica catches up, pods finish what they do, time passes. */
  #settle(): void {
    this.#inFlight = [];
    this.#unchecked = [];
    if (this.#beside !== undefined) this.#beside.untaken = [];
    this.#finishPods();
    // Each note takes a look of its own; processes also crash here, and begin again.
    for (let round = 0; round < 15; round += 1) {
      const leader = this.#replica(this.#leader);
      leader.write = undefined;
      leader.readLedger();
      leader.bookmark();
      leader.prune(this.#now);
      this.#send(this.#leader);
      this.#now += 700_000;
    }
    const left = this.#server.ledger.spec?.reservations ?? [];
    if (left.length > 0) throw new Error(`reserved for good: ${left.map((one) => one.pod).join(', ')}`);
  }

  #isHeard({ askedAt }: Pick<Admitted, 'askedAt'>): boolean {
    return this.#now - askedAt <= requestTimeoutMs;
  }

  #finishPods(): void {
    for (const [name, pod] of [...this.#server.pods]) {
      if (pod.terminating) this.#server.remove(name);
      else if (!pod.ready) this.#server.comeUp(name);
    }
  }

  #say(line: string): void {
    if (this.#keepTranscript) this.transcript.push(line);
  }
}
