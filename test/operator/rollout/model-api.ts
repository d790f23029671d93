import { Readable } from 'node:stream';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { failed, succeeded } from '../../../src/kube/outcome/failure.ts';
import type { Clock } from '../../../src/kube/time/clock.ts';
import { defaultRolloutLimits, type LookParts } from '../../../src/operator/rollout/rollout-look.ts';
import { RolloutMemory } from '../../../src/operator/rollout/rollout-memory.ts';
import { createRolloutMetrics } from '../../../src/operator/rollout/rollout-metrics.ts';
import type { WatchedSet } from '../../../src/operator/rollout/watched-set.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { at } from '../../core/rollout/builders.ts';
import { deletePod, type ModelCluster, type ModelPod, viewPod, viewSet } from '../../core/rollout/model-cluster.ts';

/** The model of a cluster behind the calls that the operator makes. Others may act between any two of them. */
export class ModelApi {
  readonly cluster: ModelCluster;
  /** What is shown on the set. */
  shown: string | undefined;
  writes = 0;
  /** Called before each call takes effect. */
  between: () => void = () => {};
  onRemoval: (pod: ModelPod) => void = () => {};
  /** What a budget says to the removal of a pod. */
  refusal: (pod: ModelPod) => string | undefined = () => undefined;
  readonly #versions = new Map<string, { readonly text: string; readonly version: number }>();
  #version = 0;

  constructor(cluster: ModelCluster) {
    this.cluster = cluster;
  }

  get client(): KubeClient {
    const calls: Partial<Record<keyof KubeClient, unknown>> = {
      stream: () => this.#call(() => succeeded(Readable.from([Buffer.from(this.#list())]))),
      get: () => this.#call(() => succeeded(this.#set())),
      delete: (_resource: unknown, place: { name: string }, body: { preconditions: Preconditions }) =>
        this.#call(() => this.#delete(place.name, body.preconditions)),
      patch: (_resource: unknown, _place: unknown, { body }: { body: ShownPatch }) =>
        this.#call(() => this.#patch(body)),
    };
    // Safe: lookAtRollout calls nothing else.
    return calls as unknown as KubeClient;
  }

  get watched(): WatchedSet {
    const { metadata } = this.#set();
    return { metadata, selector: { matchLabels: { app: 'web' } } };
  }

  async #call<T>(answer: () => T): Promise<T> {
    await Promise.resolve();
    this.between();
    return answer();
  }

  #set() {
    const set = viewSet(this.cluster);
    const annotations = {
      ...set.metadata.annotations,
      ...(this.shown === undefined ? {} : { 'holdfast.dev/rollout-state': this.shown }),
    };
    const resourceVersion = this.#versionOf('set', JSON.stringify([set, annotations]));
    return { ...set, metadata: { ...set.metadata, annotations, resourceVersion } };
  }

  #pod(pod: ModelPod) {
    const view = viewPod(this.cluster, pod);
    return { ...view, metadata: { ...view.metadata, resourceVersion: this.#versionOf(pod.uid, JSON.stringify(view)) } };
  }

  #list(): string {
    return JSON.stringify({
      metadata: { resourceVersion: '1' },
      items: this.cluster.pods.map((pod) => this.#pod(pod)),
    });
  }

  #delete(name: string, preconditions: Preconditions) {
    const pod = this.cluster.pods.find((one) => `web-${one.ordinal}` === name);
    if (pod === undefined) return failed({ kind: 'notFound', message: 'gone' });
    const { uid, resourceVersion } = this.#pod(pod).metadata;
    if (uid !== preconditions.uid || resourceVersion !== preconditions.resourceVersion) {
      return failed({ kind: 'conflict', message: 'the precondition does not hold' });
    }
    const message = this.refusal(pod);
    if (message !== undefined) return failed(refusedWith(message));
    this.onRemoval(pod);
    deletePod(this.cluster, pod);
    return succeeded({});
  }

  #patch({ metadata }: ShownPatch) {
    if (metadata.resourceVersion !== this.#set().metadata.resourceVersion) {
      return failed({ kind: 'conflict', message: 'somebody else wrote' });
    }
    this.writes += 1;
    this.shown = metadata.annotations['holdfast.dev/rollout-state'] ?? undefined;
    return succeeded({});
  }

  #versionOf(key: string, text: string): string {
    const known = this.#versions.get(key);
    if (known?.text === text) return String(known.version);
    this.#version += 1;
    this.#versions.set(key, { text, version: this.#version });
    return String(this.#version);
  }
}

interface Preconditions {
  readonly uid: string;
  readonly resourceVersion: string;
}

interface ShownPatch {
  readonly metadata: { readonly resourceVersion: string; readonly annotations: Record<string, string | null> };
}

function refusedWith(message: string) {
  const status = { details: { causes: [{ reason: 'DisruptionBudget', message }] } };
  return { kind: 'tooManyRequests', message, retryAfterMs: undefined, status } as const;
}

/** An operator that has just come to lead. Its clock is the cluster's. */
export function leader(api: ModelApi, told: string[] = []): LookParts {
  const clock: Clock = {
    now: () => at(api.cluster.now),
    monotonic: () => api.cluster.now * 1_000,
    after: () => ({ cancel: () => {} }),
  };
  const log = createLogger({ level: 'error', format: 'text', write: () => undefined, now: () => 0 });
  const clients = { rollouts: api.client } as unknown as LookParts['context']['clients'];
  return {
    context: { clients, clock, log },
    recorder: { record: ({ subject, reason, message }) => void told.push(`${subject.kind} ${reason}: ${message}`) },
    metrics: createRolloutMetrics(createMetrics()),
    limits: defaultRolloutLimits,
    memory: new RolloutMemory(clock),
    signal: new AbortController().signal,
  };
}
