/** The API with the controllers that LeaderWorkerSets live on, and nodes on which every pod comes up at once. */

import { systemUser } from '../../../src/auth/user.ts';
import { bootstrap } from '../../../src/bootstrap.ts';
import { type ControlPlane, createControlPlane } from '../../../src/control-plane.ts';
import type { PodObject, StatefulSetObject } from '../../../src/controllers/common/workloads.ts';
import type { Controller, ControllerContext } from '../../../src/controllers/controller.ts';
import { startCrdController } from '../../../src/controllers/crd/crd-controller.ts';
import { startGarbageCollector } from '../../../src/controllers/garbage/garbage-collector.ts';
import { startLeaderWorkerSetController } from '../../../src/controllers/leaderworkerset/lws-controller.ts';
import { lwsCrd } from '../../../src/controllers/leaderworkerset/lws-crd.ts';
import { type LwsObject, type LwsSpec, leaderWorkerSets } from '../../../src/controllers/leaderworkerset/lws-object.ts';
import { startStatefulSetController } from '../../../src/controllers/statefulset/statefulset-controller.ts';
import { clone, type KubeObject } from '../../../src/objects.ts';
import { createMemoryStore } from '../../../src/store/memory-store.ts';
import { timestamp } from '../../../src/time/clock.ts';
import { seededRandom } from '../../../src/time/random.ts';
import { VirtualClock } from '../../../src/time/virtual-clock.ts';

export const label = (name: string): string => `leaderworkerset.sigs.k8s.io/${name}`;

export const template = (image: string) => ({ spec: { containers: [{ name: 'main', image }] } });

export class Setup {
  readonly clock = new VirtualClock();
  readonly plane: ControlPlane;
  readonly errors: unknown[] = [];
  /** Pods that do not become ready. */
  readonly broken = new Set<string>();
  readonly #controllers: readonly Controller[];

  constructor() {
    const random = seededRandom(11);
    const store = createMemoryStore({ freeze: true });
    this.plane = createControlPlane({ store, clock: this.clock, random });
    const { types, view } = this.plane;
    const context: ControllerContext = {
      view,
      clock: this.clock,
      random,
      clientFor: (controller) => this.plane.controllerClient(controller),
      report: (_controller, _key, error) => this.errors.push(error),
    };
    const convertByWebhook = () => async (): Promise<never[]> => [];
    this.#controllers = [
      startCrdController(context, { types, convertByWebhook }),
      startGarbageCollector(context, { types, store }),
      startStatefulSetController(context),
      startLeaderWorkerSetController(context),
    ];
  }

  async start(): Promise<void> {
    await bootstrap(this.client);
    await this.client.create('serviceaccounts', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace: 'default' },
    });
    await this.client.create('apiextensions.k8s.io/customresourcedefinitions', lwsCrd);
    await this.clock.advance(1_000);
  }

  stop(): void {
    for (const controller of this.#controllers) controller.stop();
    this.plane.close();
  }

  get client() {
    return this.plane.clientFor(systemUser, 'test');
  }

  create(spec: Partial<LwsSpec>, annotations: Record<string, string> = {}): Promise<KubeObject> {
    return this.client.create(leaderWorkerSets, {
      apiVersion: 'leaderworkerset.x-k8s.io/v1',
      kind: 'LeaderWorkerSet',
      metadata: { name: 'llm', namespace: 'default', annotations },
      spec: { replicas: 3, leaderWorkerTemplate: { size: 4, workerTemplate: template('app:1') }, ...spec },
    });
  }

  async edit(change: (spec: LwsSpec) => void): Promise<void> {
    await this.client.modify<LwsObject>(leaderWorkerSets, 'default', 'llm', (draft) => {
      change(draft.spec);
      return draft;
    });
  }

  get lws(): LwsObject {
    const lws = this.plane.view.get<LwsObject>(leaderWorkerSets, 'default', 'llm');
    if (!lws) throw new Error('no LeaderWorkerSet');
    return lws;
  }

  /** Which conditions are true. */
  get truths(): string[] {
    return (this.lws.status?.conditions ?? []).filter(({ status }) => status === 'True').map(({ type }) => type);
  }

  pod(name: string): PodObject {
    const pod = this.plane.view.get<PodObject>('pods', 'default', name);
    if (!pod) throw new Error(`no pod ${name}`);
    return pod;
  }

  set(name: string): StatefulSetObject | undefined {
    return this.plane.view.get<StatefulSetObject>('apps/statefulsets', 'default', name);
  }

  pods(): readonly PodObject[] {
    return this.plane.view.list<PodObject>('pods', 'default');
  }

  podNames(): string[] {
    return this.pods().map(({ metadata }) => metadata.name);
  }

  uids(prefix: string): (string | undefined)[] {
    return this.pods()
      .filter(({ metadata }) => metadata.name.startsWith(prefix))
      .map(({ metadata }) => metadata.uid);
  }

  images(): Set<string | undefined> {
    return new Set(this.pods().map(({ spec }) => spec.containers[0]?.image));
  }

  events(): string[] {
    return this.plane.view
      .list('events', 'default')
      .filter((event) => (event['involvedObject'] as { kind: string }).kind === 'LeaderWorkerSet')
      .map((event) => `${event['reason']}: ${event['message']}`);
  }

  /** Controllers and nodes take turns until nothing changes any more; `look` sees every turn. */
  async run(look: () => void = () => {}): Promise<void> {
    let still = 0;
    for (let turn = 0; turn < 400 && still < 4; turn += 1) {
      const before = this.plane.registry.store.revision;
      await this.clock.advance(1_100);
      look();
      for (const pod of this.pods()) await this.#tend(pod);
      still = this.plane.registry.store.revision === before ? still + 1 : 0;
    }
    if (still < 4) throw new Error('the cluster does not come to rest');
  }

  async restartContainer(name: string): Promise<void> {
    await this.setStatus(name, (status) => ({
      ...status,
      containerStatuses: [
        { name: 'main', image: 'app', imageID: '', ready: true, restartCount: 1, state: { running: {} } },
      ],
    }));
  }

  async setStatus(name: string, change: (status: PodObject['status']) => PodObject['status']): Promise<void> {
    await this.client.modify<PodObject>(
      'pods',
      'default',
      name,
      (draft) => {
        const status = change(clone(draft.status));
        return status === undefined ? draft : { ...draft, status };
      },
      { subresource: 'status' },
    );
  }

  async #tend(pod: PodObject): Promise<void> {
    const { name, uid = '', deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
    if (deletionTimestamp !== undefined) {
      if (deletionGracePeriodSeconds === 0) return;
      await this.client.delete('pods', 'default', name, { gracePeriodSeconds: 0 });
      return;
    }
    if (!pod.spec.nodeName) {
      await this.client.bind('default', name, uid, 'node-a');
      return;
    }
    if (pod.status?.phase === 'Running' || this.broken.has(name)) return;
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: timestamp(this.clock.now()) };
    await this.setStatus(name, (status) => ({ ...status, phase: 'Running', conditions: [ready] }));
  }
}
