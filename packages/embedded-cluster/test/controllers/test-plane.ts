/** The real API without its wire, in virtual time, with the controllers that a test starts on it. */

import { systemUser } from '../../src/auth/user.ts';
import type { Client } from '../../src/client.ts';
import { type ControlPlane, createControlPlane } from '../../src/control-plane.ts';
import type { PodObject } from '../../src/controllers/common/workloads.ts';
import type { Controller, ControllerContext } from '../../src/controllers/controller.ts';
import type { KubeObject, ResourceKey } from '../../src/objects.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { seededRandom } from '../../src/time/random.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';

export class TestPlane {
  readonly clock = new VirtualClock();
  readonly random = seededRandom(1);
  readonly store: Store;
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly errors: unknown[] = [];
  readonly context: ControllerContext;
  readonly #controllers: Controller[] = [];

  constructor(store: Store = createMemoryStore({ freeze: true })) {
    this.store = store;
    this.plane = createControlPlane({ store, clock: this.clock, random: this.random });
    this.client = this.plane.clientFor(systemUser, 'test');
    this.context = {
      view: this.plane.view,
      clock: this.clock,
      random: this.random,
      clientFor: this.plane.controllerClient,
      report: (_controller, _key, error) => this.errors.push(error),
    };
  }

  start(starter: (context: ControllerContext, plane: ControlPlane) => Controller): this {
    this.#controllers.push(starter(this.context, this.plane));
    return this;
  }

  stop(): void {
    for (const controller of this.#controllers) controller.stop();
    this.plane.close();
  }

  find<T extends KubeObject>(resource: ResourceKey, namespace: string, name: string): T | undefined {
    return this.plane.view.get<T>(resource, namespace, name);
  }

  get<T extends KubeObject>(resource: ResourceKey, namespace: string, name: string): T {
    const object = this.find<T>(resource, namespace, name);
    if (object === undefined) throw new Error(`no ${resource} ${namespace}/${name}`);
    return object;
  }

  create(resource: ResourceKey, object: KubeObject): Promise<KubeObject> {
    return this.client.create(resource, object);
  }

  namespace(name: string): Promise<KubeObject> {
    return this.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  configMap(namespace: string, name: string, metadata: Partial<KubeObject['metadata']> = {}): Promise<KubeObject> {
    return this.create('configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...metadata, name, namespace },
    });
  }

  serviceAccount(namespace: string, name: string): Promise<KubeObject> {
    return this.create('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
  }

  /** A pod, with the service account that it needs. */
  async pod(
    namespace: string,
    name: string,
    metadata: Partial<KubeObject['metadata']> = {},
    spec: Partial<PodObject['spec']> = {},
  ): Promise<KubeObject> {
    if (!this.find('serviceaccounts', namespace, 'default')) await this.serviceAccount(namespace, 'default');
    return this.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name, namespace },
      spec: { containers: [{ name: 'main', image: 'app:1' }], ...spec },
    });
  }

  async setPodStatus(namespace: string, name: string, status: NonNullable<PodObject['status']>): Promise<void> {
    const change = (draft: PodObject): PodObject => ({ ...draft, status: { ...draft.status, ...status } });
    await this.client.modify<PodObject>('pods', namespace, name, change, { subresource: 'status' });
  }

  /** Takes finalizers off, as their controllers would. */
  async release(resource: ResourceKey, namespace: string, name: string): Promise<void> {
    await this.client.modify(resource, namespace, name, (draft) => {
      draft.metadata.finalizers = [];
      return draft;
    });
  }

  /** Lets controllers work until they write nothing more. Time passes, a little. */
  async quiet(): Promise<void> {
    let still = 0;
    for (let round = 0; round < 500 && still < 4; round += 1) {
      const before = this.store.revision;
      await this.clock.advance(50);
      still = this.store.revision === before ? still + 1 : 0;
    }
    if (still < 4) throw new Error('the controllers do not come to rest');
  }
}
