import type { Random } from '../../core/ledger-model/random.ts';
import {
  applyTemplate,
  changeSpec,
  deletePod,
  kubeletPass,
  type ModelCluster,
  note,
  stateOf,
} from '../../core/rollout/model-cluster.ts';
import { controllerActs } from '../../core/rollout/model-controller.ts';
import type { ModelApi } from './model-api.ts';

type Deed = readonly [weight: number, name: string, act: () => void];

/** All actors but the operator: users, budgets, kubelets and the built-in controller. */
export class Others {
  refusals = 0;
  readonly #api: ModelApi;
  readonly #cluster: ModelCluster;
  readonly #random: Random;
  readonly #deeds: readonly Deed[];
  #templates = 1;
  /** Ordinals of pods that a budget keeps. */
  #refused: ReadonlySet<number> = new Set();
  /** What the built-in controller has still to say of the set. */
  #unsaid: () => void = () => {};

  constructor(api: ModelApi, random: Random) {
    this.#api = api;
    this.#cluster = api.cluster;
    this.#random = random;
    this.#deeds = this.#all();
    api.refusal = ({ ordinal }) => {
      if (!this.#refused.has(ordinal)) return undefined;
      this.refusals += 1;
      return 'not now';
    };
  }

  /** One of them does one thing. */
  act(): void {
    const all = this.#deeds.reduce((sum, [weight]) => sum + weight, 0);
    let chosen = this.#random.below(all);
    for (const [weight, name, act] of this.#deeds) {
      if (chosen < weight) {
        note(this.#cluster, `(${name})`);
        act();
        return;
      }
      chosen -= weight;
    }
  }

  #all(): readonly Deed[] {
    const cluster = this.#cluster;
    const random = this.#random;
    return [
      [20, 'time passes', () => this.#pass(1 + random.below(8))],
      [16, 'kubelets', () => kubeletPass(cluster)],
      [18, 'kubernetes', () => this.#controller()],
      [5, 'template', () => this.#template()],
      [9, 'readiness', () => this.#flip()],
      [4, 'scale', () => changeSpec(cluster, { replicas: random.below(6) })],
      [2, 'partition', () => changeSpec(cluster, { partition: random.pick([0, 0, 1, 2]) ?? 0 })],
      [2, 'stop', () => this.stop(random.chance(50))],
      [2, 'budget', () => this.#refuseSome(random.below(3))],
      [2, 'a claim', () => this.#hit(({ uid }) => this.#ownClaim(uid))],
      [2, 'a user deletes a pod', () => this.#hit((pod) => deletePod(cluster, pod))],
      [2, 'a pod fails', () => this.#hit((pod) => this.#replace({ ...pod, failed: true }))],
    ];
  }

  #pass(seconds: number): void {
    this.#cluster.now += seconds;
  }

  #ownClaim(uid: string): void {
    const owners = this.#api.ownersOfClaims;
    if (!owners.delete(uid)) owners.add(uid);
  }

  #controller(): void {
    // Sometimes it was restarted before it could say what it had done.
    if (!this.#random.chance(10)) this.#unsaid();
    this.#unsaid = controllerActs(this.#cluster);
    if (this.#random.chance(70)) this.says();
  }

  /** The built-in controller says what it has still to say. */
  says(): void {
    this.#unsaid();
    this.#unsaid = () => {};
  }

  #template(): void {
    const random = this.#random;
    const works = random.pick([true, true, false, false, 'for moments'] as const) ?? true;
    if (random.chance(25)) changeSpec(this.#cluster, { template: 'v1' });
    else {
      this.#templates += 1;
      applyTemplate(this.#cluster, `v${this.#templates}`, works);
    }
  }

  /** What crashes does so by itself. */
  #flip(): void {
    const cluster = this.#cluster;
    this.#hit((pod) => {
      if (pod.loops === true || pod.failed) return;
      const { ready } = stateOf(cluster, pod);
      const { brokeAt: _, ...rest } = pod;
      this.#replace(
        ready ? { ...pod, readyAt: Number.POSITIVE_INFINITY, brokeAt: cluster.now } : { ...rest, readyAt: cluster.now },
      );
    });
  }

  #hit(act: (pod: ModelCluster['pods'][number]) => void): void {
    const pod = this.#random.pick(this.#cluster.pods);
    if (pod !== undefined) act(pod);
  }

  #replace(changed: ModelCluster['pods'][number]): void {
    this.#cluster.pods = this.#cluster.pods.map((pod) => (pod.uid === changed.uid ? changed : pod));
  }

  stop(stop: boolean): void {
    const { 'holdfast.dev/rollout-stop': _, ...rest } = this.#cluster.set.annotations;
    this.#cluster.set.annotations = stop ? { ...rest, 'holdfast.dev/rollout-stop': 'true' } : rest;
  }

  #refuseSome(count: number): void {
    this.#refused = new Set(Array.from({ length: count }, () => this.#random.below(7)));
  }

  refuse(ordinals: readonly number[]): void {
    this.#refused = new Set(ordinals);
  }

  /** No budget or webhook objects any more. */
  allow(): void {
    this.#refused = new Set();
    this.#api.ownersOfClaims.clear();
  }
}
