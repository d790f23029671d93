import type { EventNote } from '../../../src/kube/events/recorder.ts';
import { type LookParts, lookAtRollout } from '../../../src/operator/rollout/rollout-look.ts';
import type { Random } from '../../core/ledger-model/random.ts';
import { isReady, isReplica, type ModelCluster, type ModelPod, note } from '../../core/rollout/model-cluster.ts';
import { wrongWith } from '../../core/rollout/removal-rules.ts';
import { type Call, type Fate, leader, type ModelApi } from './model-api.ts';

export interface StoryStats {
  repairs: number;
  scaleDowns: number;
  kills: number;
  refusals: number;
}

export const noStats: Readonly<StoryStats> = { repairs: 0, scaleDowns: 0, kills: 0, refusals: 0 };

class Killed extends Error {}

/** What an operator does to a set while others do what they like, killed at any of its calls; and what is wrong with it. */
export class ToldOperator {
  readonly stats: StoryStats = { ...noStats };
  readonly wrong: string[] = [];
  readonly #api: ModelApi;
  readonly #random: Random;
  readonly #others: () => void;
  #operator: LookParts;
  /** It dies, loses answers and is kept waiting. */
  troubled = true;
  #removedAt = Number.NEGATIVE_INFINITY;
  /** Of what is shown. */
  #writes = 0;
  /** By this look. */
  #removed: string | undefined;
  /** Uids of what it removed, and of what it need not tell of because it was killed or replaced. */
  readonly #ours = new Set<string>();
  readonly #excused = new Set<string>();
  /** How often, by uid. */
  readonly #told = new Map<string, number>();
  #saidOnSet = '';

  /** @param others does one thing that others do, between two calls */
  constructor(api: ModelApi, random: Random, others: () => void) {
    this.#api = api;
    this.#random = random;
    this.#others = others;
    this.#operator = this.#leader();
    api.before = (call) => this.#before(call);
    api.after = (call) => this.#after(call);
    api.fate = (call) => this.#fate(call);
    api.onRemoval = (pod) => this.#removes(pod);
  }

  /** Seconds until it wants to look again, if nothing changes. */
  async look(): Promise<number> {
    this.#removed = undefined;
    try {
      const result = await lookAtRollout(this.#operator, 'shop/web', this.#api.watched);
      if (result.kind === 'failed') return 1;
      return result.kind === 'again' ? result.afterMs / 1_000 : Number.POSITIVE_INFINITY;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.stats.kills += 1;
      this.restart();
      return 0;
    }
  }

  /** Another replica becomes the leader. What was not reported by now never will be. */
  restart(): void {
    note(this.#api.cluster, 'another operator leads');
    for (const uid of this.#ours) if (!this.#isTold(uid)) this.#excused.add(uid);
    this.#operator = this.#leader();
    this.#removedAt = Number.NEGATIVE_INFINITY;
  }

  /** Every removal has an event on the set and on the pod. */
  checkTold(): void {
    for (const uid of this.#ours) {
      if (!this.#isTold(uid) && !this.#excused.has(uid)) this.wrong.push(`the removal of ${uid} was not reported`);
    }
  }

  #isTold(uid: string): boolean {
    return this.#told.get(uid) === 1;
  }

  #leader(): LookParts {
    return { ...leader(this.#api), recorder: { record: (one) => this.#record(one) } };
  }

  /** The same is said on the set and then on the pod. */
  #record({ subject, reason, message }: EventNote): void {
    if (!reason.startsWith('RolloutPod')) return;
    const { uid = '' } = subject;
    if (subject.kind === 'StatefulSet') this.#saidOnSet = message;
    else if (message === this.#saidOnSet) this.#told.set(uid, (this.#told.get(uid) ?? 0) + 1);
  }

  #before(call: Call): void {
    if (!this.troubled) return;
    // Mostly little happens between two calls; sometimes much does.
    const most = this.#random.chance(10) ? 8 : 2;
    for (let left = this.#random.below(most + 1); left > 0; left -= 1) if (this.#random.chance(40)) this.#others();
    if (this.#random.chance(3)) throw new Killed(call);
  }

  #after(call: Call): void {
    const { writes, shown = '' } = this.#api;
    if (call === 'patch' && writes > this.#writes) this.#checkShown(shown);
    this.#writes = writes;
    if (this.troubled && this.#random.chance(3)) throw new Killed();
  }

  /** What is said to have been done has been done, and just now. */
  #checkShown(shown: string): void {
    const said = /(?:replaced|removed) (web-\d+)/.exec(shown)?.[1];
    if (said !== undefined && said !== this.#removed)
      this.wrong.push(`"${shown}" is said, and ${said} was not removed`);
  }

  #fate(call: Call): Fate {
    if (!this.troubled || !this.#random.chance(call === 'delete' ? 10 : 2)) return 'answered';
    return this.#random.chance(50) ? 'lost before' : 'lost after';
  }

  #removes(pod: ModelPod): void {
    const { cluster, lastRead } = this.#api;
    // The operator cannot see what happens between the last look at the set and the removal; the pod itself is held by its version.
    const seen: ModelCluster = { ...lastRead.pods, set: lastRead.set.set };
    const target = seen.pods.find(({ uid }) => uid === pod.uid);
    const why = isReplica(seen, pod) ? 'broken' : 'condemned';
    this.stats[why === 'broken' ? 'repairs' : 'scaleDowns'] += 1;
    note(cluster, `holdfast removes web-${pod.ordinal} (${pod.revision}, ${why})`);
    const unseen = ['was not there when it looked'];
    const isNew = !lastRead.set.pods.some(({ uid }) => uid === pod.uid);
    if (isNew) this.#complain(pod, ['is newer than what was known of the set']);
    this.#complain(pod, target === undefined ? unseen : wrongWith(seen, target, why, cluster.now));
    this.#complain(pod, this.#wrongNow(cluster, pod, why === 'broken'));
    this.#removedAt = cluster.now;
    this.#removed = `web-${pod.ordinal}`;
    this.#ours.add(pod.uid);
  }

  #wrongNow(cluster: ModelCluster, pod: ModelPod, isRepair: boolean): string[] {
    const { lastClaim } = this.#api;
    const keepsClaim = lastClaim?.uid === pod.uid && !lastClaim.owned;
    const inFlight = cluster.pods.filter(({ uid }) => this.#ours.has(uid)).map(({ ordinal }) => `web-${ordinal}`);
    return [
      ...(isRepair && isReady(cluster, pod) ? ['is ready'] : []),
      ...(isRepair && cluster.set.claims.length > 0 && !keepsClaim ? ['goes although its claim may go with it'] : []),
      ...inFlight.map((other) => `goes while ${other}, which we removed, is going`),
      ...(this.#removedAt + 1 > cluster.now ? ['goes too soon after another one'] : []),
    ];
  }

  #complain(pod: ModelPod, wrong: readonly string[]): void {
    for (const one of wrong) this.wrong.push(`web-${pod.ordinal} at ${this.#api.cluster.now}: ${one}`);
  }
}
