/** A store with just enough of an API server and a kubelet to run workload controllers on, in virtual time. */

import { sameJson } from '../../../base/src/json.ts';
import type { Client, DeleteOptions, WriteOptions } from '../../src/client.ts';
import type { PodObject } from '../../src/controllers/common/workloads.ts';
import type { Controller, ControllerContext } from '../../src/controllers/controller.ts';
import { type ApiError, alreadyExists, conflict, notFound, staleObject } from '../../src/errors.ts';
import { clone, type KubeObject, objectKey, type ResourceKey } from '../../src/objects.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { timestamp } from '../../src/time/clock.ts';
import { type Random, randomSuffix, randomUid, seededRandom } from '../../src/time/random.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';
import { createView, type View } from '../../src/view.ts';

/** What becomes of a pod that its node looks at; `leave` it as it is. */
export type PodFate = 'ready' | 'unready' | 'succeeded' | 'failed' | 'leave';

export type Refusal = (
  verb: 'create' | 'update' | 'delete',
  resource: ResourceKey,
  object: KubeObject,
) => ApiError | undefined;

export class FakeCluster {
  readonly clock = new VirtualClock();
  readonly random: Random;
  readonly store: Store = createMemoryStore({ freeze: true });
  readonly view: View = createView(this.store);
  readonly client: Client = this.#createClient();
  readonly errors: unknown[] = [];
  /** Nodes that pods are put on in turn. */
  nodes: string[] = ['node-a', 'node-b', 'node-c'];
  refuse: Refusal = () => undefined;
  readonly #controllers: Controller[] = [];
  #placed = 0;

  constructor(seed = 1) {
    this.random = seededRandom(seed);
  }

  get context(): ControllerContext {
    return {
      view: this.view,
      clock: this.clock,
      random: this.random,
      clientFor: () => this.client,
      report: (_controller, _key, error) => this.errors.push(error),
    };
  }

  start(...starters: readonly ((context: ControllerContext) => Controller)[]): this {
    for (const starter of starters) this.#controllers.push(starter(this.context));
    return this;
  }

  stop(): void {
    for (const controller of this.#controllers) controller.stop();
  }

  get<T extends KubeObject>(resource: ResourceKey, name: string): T {
    const object = this.view.get<T>(resource, 'default', name);
    if (object === undefined) throw new Error(`no ${resource} ${name}`);
    return object;
  }

  pods(): readonly PodObject[] {
    return this.view.list<PodObject>('pods', 'default');
  }

  podNames(): readonly string[] {
    return this.pods().map(({ metadata }) => metadata.name);
  }

  /** Events about an object, as `reason: message`. */
  events(name: string): readonly string[] {
    return this.view
      .list('events', 'default')
      .filter((event) => (event['involvedObject'] as { name: string }).name === name)
      .map((event) => `${event['reason']}: ${event['message']}`);
  }

  async edit<T extends KubeObject>(resource: ResourceKey, name: string, change: (draft: T) => void): Promise<void> {
    await this.client.modify<T>(resource, 'default', name, (current) => {
      const draft = clone(current);
      change(draft);
      return draft;
    });
  }

  /** Lets controllers work until they write nothing more. Time passes, a little. */
  async quiet(): Promise<void> {
    let still = 0;
    for (let round = 0; round < 200 && still < 3; round += 1) {
      const before = this.store.revision;
      await this.clock.advance(40);
      still = this.store.revision === before ? still + 1 : 0;
    }
    if (still < 3) throw new Error('the controllers do not come to rest');
  }

  /** Nodes and controllers take turns until nothing changes any more. */
  async run(fate: (pod: PodObject) => PodFate = healthyUnlessBroken): Promise<void> {
    for (let round = 0; round < 200; round += 1) {
      await this.quiet();
      const before = this.store.revision;
      await this.kubelet(fate);
      if (this.store.revision === before) return;
    }
    throw new Error('the cluster does not come to rest');
  }

  /** One look of all nodes at all pods: places them, ends those that are being deleted, and sets their state. */
  async kubelet(fate: (pod: PodObject) => PodFate = healthyUnlessBroken): Promise<void> {
    for (const pod of this.view.list<PodObject>('pods')) {
      if (pod.metadata.deletionTimestamp !== undefined) {
        await this.#endPod(pod);
        continue;
      }
      const wanted = fate(pod);
      if (wanted === 'leave') continue;
      await this.#place(pod);
      await this.setPod(pod.metadata.name, wanted);
    }
  }

  async setPod(name: string, fate: Exclude<PodFate, 'leave'>): Promise<void> {
    const now = timestamp(this.clock.now());
    const phase = { ready: 'Running', unready: 'Running', succeeded: 'Succeeded', failed: 'Failed' }[fate];
    const ready = fate === 'ready' ? 'True' : 'False';
    await this.client.modify<PodObject>(
      'pods',
      'default',
      name,
      (pod) => {
        const before = pod.status?.conditions?.find(({ type }) => type === 'Ready');
        if (pod.status?.phase === phase && before?.status === ready) return undefined;
        if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return undefined;
        const conditions = [{ type: 'Ready', status: ready, lastTransitionTime: now }];
        return { ...pod, status: { ...pod.status, phase, conditions } };
      },
      { subresource: 'status' },
    );
  }

  async #endPod(pod: PodObject): Promise<void> {
    if ((pod.metadata.finalizers ?? []).length > 0 || pod.metadata.deletionGracePeriodSeconds === 0) {
      if (!['Succeeded', 'Failed'].includes(pod.status?.phase ?? '')) await this.setPod(pod.metadata.name, 'failed');
      return;
    }
    this.#remove('pods', pod);
  }

  async #place(pod: PodObject): Promise<void> {
    if (pod.spec.nodeName) return;
    const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
    this.#placed += 1;
    const nodeName = terms?.[0]?.matchFields?.[0]?.values?.[0] ?? this.nodes[this.#placed % this.nodes.length];
    await this.client.bind('default', pod.metadata.name, pod.metadata.uid ?? '', nodeName as string);
  }

  #createClient(): Client {
    return {
      create: async (resource, object) => this.#create(resource, object),
      update: async (resource, object, options) => this.#update(resource, object, options),
      modify: async (resource, namespace, name, change, options) => {
        const current = this.store.get(resource, objectKey(namespace, name));
        if (current === undefined) throw notFound(named(resource), name);
        const next = change(clone(current.object) as never);
        return next === undefined ? undefined : this.#update(resource, next, options);
      },
      bind: async (namespace, name, uid, node) => {
        const pod = this.store.get('pods', objectKey(namespace, name))?.object as PodObject | undefined;
        if (pod === undefined || pod.metadata.uid !== uid) throw notFound(named('pods'), name);
        this.#update('pods', { ...pod, spec: { ...pod.spec, nodeName: node } });
      },
      delete: async (resource, namespace, name, options) => this.#delete(resource, namespace, name, options ?? {}),
    };
  }

  #create<T extends KubeObject>(resource: ResourceKey, object: T): T {
    const draft = clone(object);
    const { metadata } = draft;
    if (!metadata.name) metadata.name = `${metadata.generateName}${randomSuffix(this.random)}`;
    this.#check('create', resource, draft);
    metadata.uid = randomUid(this.random);
    metadata.creationTimestamp = timestamp(this.clock.now());
    metadata.generation = 1;
    if (resource === 'pods') draft['status' as keyof T] = { phase: 'Pending' } as never;
    const result = this.store.create(resource, objectKey(metadata.namespace, metadata.name), draft);
    if (!result.ok) throw alreadyExists(named(resource), metadata.name);
    return result.stored.object as T;
  }

  #update<T extends KubeObject>(resource: ResourceKey, object: T, options: WriteOptions = {}): T {
    const { namespace, name, resourceVersion } = object.metadata;
    const key = objectKey(namespace, name);
    const current = this.store.get(resource, key);
    if (current === undefined) throw notFound(named(resource), name);
    if (resourceVersion !== undefined && resourceVersion !== current.object.metadata.resourceVersion) {
      throw conflict(named(resource), name, staleObject);
    }
    this.#check('update', resource, object);
    const next: KubeObject = clone(
      options.subresource === 'status' ? { ...current.object, status: object['status'] } : object,
    );
    if (options.subresource !== 'status') {
      next['status'] = clone(current.object['status']);
      const sameSpec = sameJson(next['spec'], current.object['spec']);
      next.metadata.generation = (current.object.metadata.generation ?? 0) + (sameSpec ? 0 : 1);
    }
    if (next['status'] === undefined) delete next['status'];
    if (sameJson(next, current.object)) return current.object as T;
    const left = next.metadata.finalizers ?? [];
    if (next.metadata.deletionGracePeriodSeconds === 0 && left.length === 0) {
      this.#remove(resource, current.object);
      return next as T;
    }
    const result = this.store.update(resource, key, next, current.revision);
    if (!result.ok) throw conflict(named(resource), name, staleObject);
    return result.stored.object as T;
  }

  #delete(resource: ResourceKey, namespace: string, name: string, options: DeleteOptions): void {
    const current = this.store.get(resource, objectKey(namespace, name));
    if (current === undefined) throw notFound(named(resource), name);
    const { object } = current;
    if (options.uid !== undefined && options.uid !== object.metadata.uid) {
      throw conflict(named(resource), name, 'the UID in the precondition does not match');
    }
    this.#check('delete', resource, object);
    const pod = object as PodObject;
    const lingers =
      resource === 'pods' && pod.spec.nodeName && !['Succeeded', 'Failed'].includes(pod.status?.phase ?? '');
    const held = (object.metadata.finalizers ?? []).length > 0;
    if (!lingers && !held) {
      this.#remove(resource, object);
      return;
    }
    if (object.metadata.deletionTimestamp !== undefined) return;
    const grace = lingers ? 30 : 0;
    const draft = clone(object);
    draft.metadata.deletionTimestamp = timestamp(this.clock.now() + grace * 1000);
    draft.metadata.deletionGracePeriodSeconds = grace;
    this.store.update(resource, current.key, draft, current.revision);
  }

  #remove(resource: ResourceKey, object: KubeObject): void {
    const key = objectKey(object.metadata.namespace, object.metadata.name);
    const current = this.store.get(resource, key);
    if (current) this.store.remove(resource, key, current.revision);
  }

  #check(verb: 'create' | 'update' | 'delete', resource: ResourceKey, object: KubeObject): void {
    const refusal = this.refuse(verb, resource, object);
    if (refusal) throw refusal;
  }
}

/** Pods whose image says `broken` never become ready. */
function healthyUnlessBroken(pod: PodObject): PodFate {
  return pod.spec.containers[0]?.image?.includes('broken') ? 'unready' : 'ready';
}

function named(resource: ResourceKey): { group: string; resource: string } {
  const [first = '', second] = resource.split('/');
  return second === undefined ? { group: '', resource: first } : { group: first, resource: second };
}
