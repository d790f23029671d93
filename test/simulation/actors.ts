import type { KubeClient } from '../../packages/holdfast/src/kube/client/client.ts';
import type { Outcome } from '../../packages/holdfast/src/kube/outcome/failure.ts';
import type { Random } from '../../packages/holdfast/test/core/ledger-model/random.ts';
import { namespace, tierLabel, updateGate } from './objects.ts';
import type { App } from './scenario.ts';

/** What people, controllers and machines do to the cluster while it is judged. Each returns what it did, for the transcript. */

const pods = { group: '', version: 'v1', plural: 'pods', namespaced: true } as const;
const pdbs = { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets', namespaced: true } as const;
const pubs = {
  group: 'policy.kruise.io',
  version: 'v1beta1',
  plural: 'podunavailablebudgets',
  namespaced: true,
} as const;
const ledgers = { group: 'holdfast.dev', version: 'v1alpha1', plural: 'disruptionledgers', namespaced: true } as const;
const apps = {
  StatefulSet: { group: 'apps', version: 'v1', plural: 'statefulsets', namespaced: true },
  Deployment: { group: 'apps', version: 'v1', plural: 'deployments', namespaced: true },
  LeaderWorkerSet: {
    group: 'leaderworkerset.x-k8s.io',
    version: 'v1',
    plural: 'leaderworkersets',
    namespaced: true,
  },
} as const;

const ghost = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  name: 'ghost',
  uid: '00000000-0000-4000-8000-000000000000',
};

/** Clients that give up after a while, or at once, and leave the API server to it. */
const patience = [30_000, 30_000, 30_000, 2_000, 200];

export class Actors {
  readonly #client: KubeClient;
  readonly #random: Random;
  readonly #tell: (line: string) => void;

  constructor(client: KubeClient, random: Random, tell: (line: string) => void) {
    this.#client = client;
    this.#random = random;
    this.#tell = tell;
  }

  evict(name: string, dryRun = false): Promise<boolean> {
    const body = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
      ...(dryRun ? { deleteOptions: { dryRun: ['All'] } } : {}),
    };
    const what = dryRun ? `eviction of ${name} (dry run)` : `eviction of ${name}`;
    const call = this.#client.create(pods, { namespace, name, subresource: 'eviction' }, body, this.#call());
    return this.#told(what, call);
  }

  remove(name: string): Promise<boolean> {
    return this.#told(`deletion of ${name}`, this.#client.delete(pods, { namespace, name }, {}, this.#call()));
  }

  label(name: string, value: string | null): Promise<boolean> {
    const labels = { [tierLabel]: value };
    return this.#patch(`label ${tierLabel}=${value} on ${name}`, pods, name, { metadata: { labels } });
  }

  /** The application in the pod stops serving, or serves again. Nobody asked for it. */
  ready(name: string, ready: boolean): Promise<boolean> {
    const annotations = { 'sim.holdfast.dev/ready': ready ? null : 'false' };
    return this.#patch(`${name} ${ready ? 'serves again' : 'breaks'}`, pods, name, { metadata: { annotations } });
  }

  scale({ kind, name }: App, replicas: number): Promise<boolean> {
    return this.#patch(`${name} scaled to ${replicas}`, apps[kind], name, { spec: { replicas } });
  }

  /** The application's owner goes, and its pods stay. */
  orphan({ kind, name }: App): Promise<boolean> {
    const call = this.#client.delete(apps[kind], { namespace, name }, { propagationPolicy: 'Orphan' }, this.#call());
    return this.#told(`${name} deleted, its pods kept`, call);
  }

  /** The kubelet will stop the container and start another. */
  update(name: string, image: string): Promise<boolean> {
    const body = { spec: { containers: [{ name: 'main', image }] } };
    const call = this.#client.patch(pods, { namespace, name }, { type: 'strategic', body }, this.#call());
    return this.#told(`image ${image} for ${name}`, call);
  }

  /** When the node has room. Other memory restarts the container, another share of processors does not. */
  resize(name: string, requests: { readonly memory: string } | { readonly cpu: string }): Promise<boolean> {
    const resources = { requests };
    const body = { spec: { containers: [{ name: 'main', resources }] } };
    const place = { namespace, name, subresource: 'resize' } as const;
    const call = this.#client.patch(pods, place, { type: 'strategic', body }, this.#call());
    return this.#told(`${name} resized to ${JSON.stringify(requests)}`, call);
  }

  /** The node of a pod has no room for a resize now, or has some again. */
  room(name: string, isThere: boolean): Promise<boolean> {
    const annotations = { 'sim.holdfast.dev/resize': isThere ? null : 'deferred' };
    return this.#patch(`${isThere ? 'room' : 'no room'} to resize ${name}`, pods, name, { metadata: { annotations } });
  }

  /** What a controller does before and after it updates a pod in place. */
  gate(name: string, isOpen: boolean): Promise<boolean> {
    const body = { status: { conditions: [{ type: updateGate, status: isOpen ? 'True' : 'False' }] } };
    const place = { namespace, name, subresource: 'status' } as const;
    const call = this.#client.patch(pods, place, { type: 'strategic', body }, this.#call());
    return this.#told(`${name} ${isOpen ? 'put back into service' : 'taken out of service for an update'}`, call);
  }

  /** Points a pod at an owner that does not exist, so that garbage collection deletes it. */
  abandon(name: string): Promise<boolean> {
    const body = { metadata: { ownerReferences: [{ ...ghost, controller: true }] } };
    return this.#patch(`${name} given an owner that does not exist`, pods, name, body);
  }

  limit(kind: 'PDB' | 'PUB', name: string, limit: object): Promise<boolean> {
    const none = { minAvailable: null, maxUnavailable: null };
    const resource = kind === 'PDB' ? pdbs : pubs;
    return this.#patch(`${kind} ${name} set to ${JSON.stringify(limit)}`, resource, name, {
      spec: { ...none, ...limit },
    });
  }

  deleteLedger(): Promise<boolean> {
    return this.#told('ledger deleted', this.#client.delete(ledgers, { namespace, name: 'default' }, {}, this.#call()));
  }

  #patch(what: string, resource: Parameters<KubeClient['patch']>[0], name: string, body: object): Promise<boolean> {
    return this.#told(what, this.#client.patch(resource, { namespace, name }, { type: 'merge', body }, this.#call()));
  }

  #call() {
    return { deadlineMs: this.#random.pick(patience) ?? 30_000 };
  }

  async #told(what: string, call: Promise<Outcome<unknown>>): Promise<boolean> {
    this.#tell(what);
    const outcome = await call;
    this.#tell(
      `${what}: ${outcome.ok ? 'done' : `${outcome.failure.code ?? outcome.failure.kind} ${outcome.failure.message}`}`,
    );
    return outcome.ok;
  }
}
