import { Random } from '../../core/ledger-model/random.ts';
import {
  applyTemplate,
  changeSpec,
  isReplica,
  kubeletPass,
  type ModelCluster,
  modelCluster,
} from '../../core/rollout/model-cluster.ts';
import { controllerPass } from '../../core/rollout/model-controller.ts';
import { isSettled } from '../../core/rollout/simulation.ts';
import { ModelApi } from './model-api.ts';
import { Others } from './others.ts';
import { ToldOperator } from './told-operator.ts';

const stepsOfStory = 70;
/** More than any story needs to come to its end: five pods that settle, start and go, one by one, twice over. */
const secondsOfEnd = 900;
/** Some rounds of asking again, while everything else comes to its end. */
const secondsOfRefusal = 120;
/** Longer than anything here waits for: after so long without a change or a look nothing more will happen. */
const quietSeconds = 60;

/** A set, its users, kubelets and controller, and an operator: a story is its seed, and nothing else. */
export class Story {
  readonly cluster: ModelCluster;
  readonly operator: ToldOperator;
  readonly #random: Random;
  readonly #api: ModelApi;
  readonly #others: Others;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.cluster = this.#begin();
    this.#api = new ModelApi(this.cluster);
    this.#others = new Others(this.#api, this.#random);
    this.operator = new ToldOperator(this.#api, this.#random, () => this.#others.act());
  }

  async run(): Promise<void> {
    for (let step = 0; step < stepsOfStory; step += 1) {
      const chosen = this.#random.below(100);
      if (chosen < 25) await this.operator.look();
      else if (chosen < 28) this.operator.restart();
      else this.#others.act();
    }
    await this.#end(this.#random.pick(['works', 'works', 'works', 'fails', 'is refused']) ?? 'works');
    this.operator.checkTold();
    this.operator.stats.refusals = this.#others.refusals;
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
      claims: random.chance(30) ? ['data'] : [],
    };
    const cluster = modelCluster(shape, ['v1']);
    cluster.graceSeconds = random.pick([0, 2, 2]) ?? 2;
    // Most stories begin with a set that is there already.
    if (random.chance(80)) {
      for (let second = 0; second < 20; second += 1, cluster.now += 1) controllerPass(cluster);
    }
    return cluster;
  }

  /** Another template comes last, and every actor does its part. */
  async #end(how: 'works' | 'fails' | 'is refused'): Promise<void> {
    const { cluster, operator } = this;
    operator.troubled = false;
    this.#others.says();
    this.#others.stop(false);
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
    if (isRefused) this.#others.refuse(Array.from({ length: replicas }, (_, index) => start + index));
    let seen = '';
    let due = cluster.now;
    let quiet = 0;
    const seconds = isRefused ? secondsOfRefusal : secondsOfEnd;
    for (let left = seconds; left > 0 && quiet < quietSeconds && !isSettled(cluster); left -= 1) {
      cluster.now += 1;
      quiet += 1;
      if (cluster.now > refusedUntil) this.#others.allow();
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
