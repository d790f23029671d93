import { Random } from '../../core/ledger-model/random.ts';
import {
  applyTemplate,
  changeSpec,
  deletePod,
  isReplica,
  kubeletPass,
  type ModelCluster,
  modelCluster,
  note,
  stateOf,
} from '../../core/rollout/model-cluster.ts';
import { controllerActs, controllerPass } from '../../core/rollout/model-controller.ts';
import { isSettled } from '../../core/rollout/simulation.ts';
import { ModelApi } from './model-api.ts';
import { ToldOperator } from './told-operator.ts';

const stepsOfStory = 70;
/** More than any story needs to come to its end: five pods that settle, start and go, one by one, twice over. */
const secondsOfEnd = 900;
/** Some rounds of asking again, while everything else comes to its end. */
const secondsOfRefusal = 120;
/** Longer than anything here waits for: after so long without a change or a look nothing more will happen. */
const quietSeconds = 60;

type Deed = readonly [weight: number, name: string, act: () => void];

/** A set, its users, kubelets and controller, and an operator: a story is its seed, and nothing else. */
export class Story {
  readonly cluster: ModelCluster;
  readonly operator: ToldOperator;
  readonly #random: Random;
  readonly #api: ModelApi;
  readonly #deeds: readonly Deed[];
  #templates = 1;
  #refused: ReadonlySet<number> = new Set();
  /** What the built-in controller has still to say of the set. */
  #unsaid: () => void = () => {};

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.cluster = this.#begin();
    this.#api = new ModelApi(this.cluster);
    this.#deeds = this.#others();
    this.operator = new ToldOperator(this.#api, this.#random, () => this.#someoneActs());
    this.#api.refusal = ({ ordinal }) => {
      if (!this.#refused.has(ordinal)) return undefined;
      this.operator.stats.refusals += 1;
      return 'not now';
    };
  }

  async run(): Promise<void> {
    for (let step = 0; step < stepsOfStory; step += 1) {
      const chosen = this.#random.below(100);
      if (chosen < 25) await this.operator.look();
      else if (chosen < 28) this.operator.restart();
      else this.#someoneActs();
    }
    await this.#end(this.#random.pick(['works', 'works', 'works', 'fails', 'is refused']) ?? 'works');
    this.operator.checkTold();
  }

  #begin(): ModelCluster {
    const random = this.#random;
    const annotations = {
      'holdfast.dev/update-strategy': 'EnforcedRollingUpdate',
      'holdfast.dev/rollout-settle-seconds': random.pick(['0', '0', '4', '30']) ?? '0',
    };
    const shape = {
      annotations,
      start: random.pick([0, 0, 2]) ?? 0,
      maxUnavailable: 1 + random.below(2),
      minReadySeconds: random.pick([0, 0, 3]) ?? 0,
    };
    const cluster = modelCluster(shape, ['v1']);
    cluster.graceSeconds = random.pick([0, 2, 2]) ?? 2;
    // Most stories begin with a set that is there already.
    if (random.chance(80)) {
      for (let second = 0; second < 20; second += 1, cluster.now += 1) controllerPass(cluster);
    }
    return cluster;
  }

  #someoneActs(): void {
    const all = this.#deeds.reduce((sum, [weight]) => sum + weight, 0);
    let chosen = this.#random.below(all);
    for (const [weight, name, act] of this.#deeds) {
      if (chosen < weight) {
        note(this.cluster, `(${name})`);
        act();
        return;
      }
      chosen -= weight;
    }
  }

  #others(): readonly Deed[] {
    const { cluster } = this;
    const random = this.#random;
    return [
      [20, 'time passes', () => this.#pass(1 + random.below(8))],
      [16, 'kubelets', () => kubeletPass(cluster)],
      [18, 'kubernetes', () => this.#controller()],
      [5, 'template', () => this.#template()],
      [9, 'readiness', () => this.#flip()],
      [4, 'scale', () => changeSpec(cluster, { replicas: random.below(6) })],
      [2, 'partition', () => changeSpec(cluster, { partition: random.pick([0, 0, 1, 2]) ?? 0 })],
      [2, 'stop', () => this.#stop(random.chance(50))],
      [2, 'budget', () => this.#refuse(random.below(3))],
      [2, 'somebody deletes a pod', () => this.#hit((pod) => deletePod(cluster, pod))],
      [2, 'a pod fails', () => this.#hit((pod) => this.#replace({ ...pod, failed: true }))],
    ];
  }

  #pass(seconds: number): void {
    this.cluster.now += seconds;
  }

  #controller(): void {
    this.#unsaid();
    this.#unsaid = controllerActs(this.cluster);
    if (this.#random.chance(70)) this.#says();
  }

  #says(): void {
    this.#unsaid();
    this.#unsaid = () => {};
  }

  #template(): void {
    const random = this.#random;
    const works = random.pick([true, true, false, false, 'for moments'] as const) ?? true;
    if (random.chance(25)) changeSpec(this.cluster, { template: 'v1' });
    else {
      this.#templates += 1;
      applyTemplate(this.cluster, `v${this.#templates}`, works);
    }
  }

  /** What crashes does so by itself. */
  #flip(): void {
    const { cluster } = this;
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
    const pod = this.#random.pick(this.cluster.pods);
    if (pod !== undefined) act(pod);
  }

  #replace(changed: ModelCluster['pods'][number]): void {
    this.cluster.pods = this.cluster.pods.map((pod) => (pod.uid === changed.uid ? changed : pod));
  }

  #stop(stop: boolean): void {
    const { 'holdfast.dev/rollout-stop': _, ...rest } = this.cluster.set.annotations;
    this.cluster.set.annotations = stop ? { ...rest, 'holdfast.dev/rollout-stop': 'true' } : rest;
  }

  #refuse(count: number): void {
    this.#refused = new Set(Array.from({ length: count }, () => this.#random.below(7)));
  }

  /** Another template comes last, and everybody does what is theirs. */
  async #end(how: 'works' | 'fails' | 'is refused'): Promise<void> {
    const { cluster, operator } = this;
    operator.troubled = false;
    this.#says();
    this.#stop(false);
    changeSpec(cluster, { replicas: 3, partition: 0 });
    applyTemplate(cluster, 'last', how !== 'fails');
    const before = operator.stats.repairs;
    await this.#calm(how === 'is refused');
    const tries = cluster.pods.filter(({ revision }) => revision === 'last').length;
    const scaled = cluster.pods.every((pod) => isReplica(cluster, pod));
    if (how === 'works' && !isSettled(cluster)) operator.wrong.push('the newest template did not get everywhere');
    if (how === 'fails' && tries > 1) operator.wrong.push('a template that does not work was tried twice');
    if (how === 'is refused' && operator.stats.repairs > before) operator.wrong.push('a refused pod went');
    if (!scaled) operator.wrong.push('the scale-down did not end');
  }

  /**
   * Until all is well, or nothing more happens. The operator looks as its queue would have it: when something changed that it watches,
   * and when it wanted to look again.
   */
  async #calm(isRefused: boolean): Promise<void> {
    const { cluster } = this;
    const { start, replicas } = cluster.set;
    const refusedUntil = isRefused ? Number.POSITIVE_INFINITY : cluster.now + this.#random.below(20);
    if (isRefused) this.#refused = new Set(Array.from({ length: replicas }, (_, index) => start + index));
    let seen = '';
    let due = cluster.now;
    let quiet = 0;
    const seconds = isRefused ? secondsOfRefusal : secondsOfEnd;
    for (let left = seconds; left > 0 && quiet < quietSeconds && !isSettled(cluster); left -= 1) {
      cluster.now += 1;
      quiet += 1;
      if (cluster.now > refusedUntil) this.#refused = new Set();
      kubeletPass(cluster);
      controllerPass(cluster);
      const { version } = this.#api;
      if (version === seen && cluster.now < due) continue;
      seen = version;
      quiet = 0;
      due = cluster.now + (await this.operator.look());
    }
  }
}
