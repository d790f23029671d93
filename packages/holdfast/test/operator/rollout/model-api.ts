import { Readable } from 'node:stream';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { failed, type Outcome, succeeded } from '../../../src/kube/outcome/failure.ts';
import type { Clock } from '../../../src/kube/time/clock.ts';
import { defaultRolloutLimits, type LookParts } from '../../../src/operator/rollout/rollout-look.ts';
import { RolloutMemory } from '../../../src/operator/rollout/rollout-memory.ts';
import { createRolloutMetrics } from '../../../src/operator/rollout/rollout-metrics.ts';
import type { WatchedSet } from '../../../src/operator/rollout/watched-set.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { at } from '../../core/rollout/builders.ts';
import { deletePod, type ModelCluster, type ModelPod } from '../../core/rollout/model-cluster.ts';
import { viewPod, viewSet } from '../../core/rollout/model-view.ts';

export type Call = 'list' | 'get' | 'claim' | 'delete' | 'patch';

/** What becomes of a call: `lost` is one that happens, or does not, and whose answer does not come back. */
export type Fate = 'answered' | 'lost before' | 'lost after';

/** What the operator last read, as a judge remembers it. */
export interface LastRead {
  readonly pods: ModelCluster;
  readonly set: ModelCluster;
}

/** The model of a cluster behind the calls that the operator makes. Others may act between any two of them. */
export class ModelApi {
  readonly cluster: ModelCluster;
  /** What is shown on the set. */
  shown: string | undefined;
  writes = 0;
  /** Called before each call takes effect, and after it. Throwing here kills the operator. */
  before: (call: Call) => void = () => {};
  after: (call: Call) => void = () => {};
  fate: (call: Call) => Fate = () => 'answered';
  onRemoval: (pod: ModelPod) => void = () => {};
  /** What a budget says to the removal of a pod. */
  refusal: (pod: ModelPod) => string | undefined = () => undefined;
  /** Uids of pods to which their claims belong. */
  readonly ownersOfClaims = new Set<string>();
  mayReadClaims = true;
  lastRead: LastRead;
  /** The pod whose claim was last read, and whether the claim was that pod's own. */
  lastClaim: { readonly uid: string; readonly owned: boolean } | undefined;
  readonly #versions = new Map<string, { readonly text: string; readonly version: number }>();
  #version = 0;

  constructor(cluster: ModelCluster) {
    this.cluster = cluster;
    this.lastRead = { pods: remembered(cluster), set: remembered(cluster) };
  }

  get client(): KubeClient {
    const calls: Partial<Record<keyof KubeClient, unknown>> = {
      stream: () => this.#call('list', () => this.#list()),
      get: (resource: { plural: string }, place: { name: string }) =>
        resource.plural === 'statefulsets'
          ? this.#call('get', () => this.#get())
          : this.#call('claim', () => this.#claim(place.name)),
      delete: (_resource: unknown, place: { name: string }, body: { preconditions: Preconditions }) =>
        this.#call('delete', () => this.#delete(place.name, body.preconditions)),
      patch: (_resource: unknown, _place: unknown, { body }: { body: ShownPatch }) =>
        this.#call('patch', () => this.#patch(body)),
    };
    // Safe: lookAtRollout calls nothing else.
    return calls as unknown as KubeClient;
  }

  get watched(): WatchedSet {
    const { metadata } = this.#set();
    return { metadata, selector: { matchLabels: { app: 'web' } } };
  }

  /** What a watch would tell apart. */
  get version(): string {
    const pods = this.cluster.pods.map((pod) => `${pod.uid}@${this.#pod(pod).metadata.resourceVersion}`);
    return [this.#set().metadata.resourceVersion, ...pods].join();
  }

  async #call<T>(call: Call, answer: () => Outcome<T>): Promise<Outcome<T>> {
    await Promise.resolve();
    this.before(call);
    const fate = this.fate(call);
    const said = fate === 'lost before' ? undefined : answer();
    this.after(call);
    return said === undefined || fate === 'lost after' ? lost : said;
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

  #list() {
    this.lastRead = { ...this.lastRead, pods: remembered(this.cluster) };
    const items = this.cluster.pods.map((pod) => this.#pod(pod));
    return succeeded(Readable.from([Buffer.from(JSON.stringify({ metadata: { resourceVersion: '1' }, items }))]));
  }

  #get() {
    this.lastRead = { ...this.lastRead, set: remembered(this.cluster) };
    return succeeded(this.#set());
  }

  #claim(name: string) {
    if (!this.mayReadClaims) return failed({ kind: 'denied', message: 'may not get claims' });
    const owner = this.cluster.pods.find(({ ordinal }) => name.endsWith(`-web-${ordinal}`));
    if (owner === undefined) return failed({ kind: 'notFound', message: 'gone' });
    const owned = this.ownersOfClaims.has(owner.uid);
    this.lastClaim = { uid: owner.uid, owned };
    return succeeded({ metadata: { name, ...(owned ? { ownerReferences: [{ uid: owner.uid }] } : {}) } });
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
    const { resourceVersion } = metadata;
    if (resourceVersion !== undefined && resourceVersion !== this.#set().metadata.resourceVersion) {
      return failed({ kind: 'conflict', message: 'another client wrote' });
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

const lost = failed({
  kind: 'retry',
  cause: 'deadline',
  message: 'no answer came',
  retryAfterMs: undefined,
  maybeDone: true,
});

function remembered(cluster: ModelCluster): ModelCluster {
  return { ...cluster, set: { ...cluster.set }, pods: cluster.pods.map((pod) => ({ ...pod })) };
}

interface Preconditions {
  readonly uid: string;
  readonly resourceVersion: string;
}

interface ShownPatch {
  readonly metadata: { readonly resourceVersion?: string; readonly annotations: Record<string, string | null> };
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
