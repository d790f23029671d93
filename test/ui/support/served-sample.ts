import { resolve } from 'node:path';
import { json } from '../../../packages/holdfast/src/cli/ui/serve/answers.ts';
import {
  type DetailApi,
  type RunningUiServer,
  startUiServer,
} from '../../../packages/holdfast/src/cli/ui/serve/ui-server.ts';
import { realClock } from '../../../packages/holdfast/src/kube/time/clock.ts';
import { deltaBetween, type UiDelta } from '../../../packages/holdfast/src/ui/delta.ts';
import type { UiModel } from '../../../packages/holdfast/src/ui/model.ts';
import type { WhatIfRequest } from '../../../packages/holdfast/src/ui/what-if.ts';
import { sampleBudget, sampleJob, sampleNode, samplePod } from './sample-answers.ts';

interface Subscriber {
  changed(delta: UiDelta, model: UiModel): void;
}

/** The real server and the built page over a model that a test makes up: sizes and names that no cluster here has. */
export class ServedSample {
  readonly #subscribers = new Set<Subscriber>();
  readonly #alter: <T>(value: T) => T;
  #model: UiModel;
  #server: RunningUiServer | undefined;
  #asked: WhatIfRequest | undefined;

  /** @param alter done to everything before it is sent */
  private constructor(model: UiModel, alter: <T>(value: T) => T) {
    this.#model = alter(model);
    this.#alter = alter;
  }

  static async start(model: UiModel, alter: <T>(value: T) => T = (value) => value): Promise<ServedSample> {
    const served = new ServedSample(model, alter);
    served.#server = await startUiServer({
      port: 0,
      publisher: served,
      clock: realClock,
      api: served.#api(),
      page: resolve('dist/dashboard'),
    });
    return served;
  }

  get address(): string {
    return this.#server?.address ?? '';
  }

  get model(): UiModel {
    return this.#model;
  }

  /** What the page asked to simulate. */
  get asked(): WhatIfRequest | undefined {
    return this.#asked;
  }

  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /** Sends a change to the pages that are open. */
  change(fields: Partial<UiModel>): void {
    const head = { ...this.#model.head, ...fields.head, revision: this.#model.head.revision + 1 };
    const next = { ...this.#model, ...fields, head };
    const delta = deltaBetween(this.#model, next);
    if (delta === undefined) throw new Error('the change changes nothing');
    this.#model = next;
    for (const subscriber of this.#subscribers) subscriber.changed(delta, next);
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  #api(): DetailApi {
    const answer = (value: unknown) => Promise.resolve(json(this.#alter(value)));
    return {
      get: async ([first]) => {
        if (first === 'nodes') return answer(sampleNode(this.#model));
        if (first === 'budgets') return answer(sampleBudget(this.#model));
        if (first === 'pods') return answer(samplePod());
        if (first === 'what-if' && this.#asked !== undefined) return answer(sampleJob(this.#asked));
        return undefined;
      },
      post: async (_path, body) => {
        this.#asked = body as WhatIfRequest;
        return answer({ ...sampleJob(this.#asked), state: 'running', step: 'reading the cluster', result: undefined });
      },
    };
  }
}
