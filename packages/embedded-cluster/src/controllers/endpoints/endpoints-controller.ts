import { type KubeObject, keyOf, objectKey, splitKey } from '../../objects.ts';
import type { ViewEvent } from '../../view.ts';
import { isNamespaceTerminating } from '../common/pod-writer.ts';
import type { NodeObject, PodObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';
import { isOurSlice, serviceNameLabel } from './documents.ts';
import { EndpointsWriter, endpointSlices, type Writing, writingKey } from './endpoints-writer.ts';
import { fingerprint, isManaged, selectsPod } from './members.ts';
import { ServiceIndex } from './service-index.ts';
import { ServiceState, strandedSlices } from './service-state.ts';
import type { ServiceObject, SliceObject } from './types.ts';

interface Work {
  /** Undefined: everything has to be looked at again. */
  state: ServiceState | undefined;
  /** Pods that have changed since the last look. */
  readonly pods: Set<string>;
  lastMs: number;
}

/** A service is written at most this often; with many slices less often, as each write may touch all of them. */
const intervalMs = 100;
const slicesPerInterval = 20;
const longestIntervalMs = 1_000;
const zoneLabel = 'topology.kubernetes.io/zone';

/** Keeps Endpoints and EndpointSlices of services in step with the pods that they select. */
export function startEndpointsController(context: ControllerContext): Controller {
  const controller = new EndpointsController(context);
  const { view } = context;
  const watches = [
    view.watch('pods', (event) => controller.podChanged(event)),
    view.watch('services', (event) => controller.serviceChanged(event)),
    view.watch('nodes', (event) => controller.nodeChanged(event)),
    view.watch(endpointSlices, (event) => controller.sliceChanged(event)),
    view.watch('endpoints', (event) => controller.endpointsChanged(event)),
  ];
  controller.begin();
  return {
    stop() {
      for (const watch of watches) watch.stop();
      controller.stop();
    },
  };
}

class EndpointsController {
  readonly #context: ControllerContext;
  readonly #reconciler: Reconciler;
  readonly #writer: EndpointsWriter;
  readonly #writing: Writing = new Set();
  readonly #services = new ServiceIndex();
  readonly #work = new Map<string, Work>();
  #begun = false;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#writer = new EndpointsWriter(context.view, context.clientFor('endpoint-controller'), this.#writing);
    this.#reconciler = new Reconciler(context, {
      name: 'endpoint-controller',
      reconcile: (key) => this.#reconcile(key),
    });
  }

  /** What was there before has been seen; from now on everything is news. */
  begin(): void {
    this.#begun = true;
  }

  stop(): void {
    this.#reconciler.stop();
  }

  podChanged({ type, object, previous }: ViewEvent): void {
    const [pod, before] = [object as PodObject, previous as PodObject | undefined];
    const sameLabels = before?.metadata.labels === pod.metadata.labels;
    if (type === 'MODIFIED' && before && sameLabels && fingerprint(pod) === fingerprint(before)) return;
    this.#podNews(pod, before ?? pod);
  }

  /** For every service that selects the pod, or did. */
  #podNews(pod: PodObject, before: PodObject): void {
    for (const service of this.#services.selecting(pod, before)) {
      const key = keyOf(service);
      this.#workFor(key).pods.add(pod.metadata.name);
      this.#reconciler.add(key);
    }
  }

  nodeChanged({ object, previous }: ViewEvent): void {
    if (!this.#begun || zoneOf(object) === (previous && zoneOf(previous))) return;
    for (const pod of this.#context.view.podsOnNode<PodObject>(object.metadata.name)) this.#podNews(pod, pod);
  }

  serviceChanged({ type, object }: ViewEvent): void {
    const service = object as ServiceObject;
    if (type === 'DELETED') this.#services.remove(service);
    else this.#services.set(service);
    this.#lookAtAll(keyOf(service));
  }

  sliceChanged({ type, object }: ViewEvent): void {
    // A slice of ours that another client wrote. Our own new ones have no name that we could know beforehand.
    if (
      !this.#begun ||
      type === 'ADDED' ||
      this.#writing.has(writingKey(endpointSlices, object)) ||
      !isOurSlice(object)
    )
      return;
    const service = object.metadata.labels?.[serviceNameLabel];
    const key = objectKey(object.metadata.namespace, service ?? '');
    if (this.#work.has(key)) this.#lookAtAll(key);
  }

  endpointsChanged({ type, object }: ViewEvent): void {
    const key = keyOf(object);
    if (!this.#begun) this.#reconciler.add(key);
    else if (type !== 'ADDED' && this.#work.has(key) && !this.#writing.has(writingKey('endpoints', object)))
      this.#lookAtAll(key);
  }

  #workFor(key: string): Work {
    const known = this.#work.get(key);
    if (known) return known;
    const work: Work = { state: undefined, pods: new Set(), lastMs: Number.NEGATIVE_INFINITY };
    this.#work.set(key, work);
    return work;
  }

  #lookAtAll(key: string): void {
    this.#workFor(key).state = undefined;
    this.#reconciler.add(key);
  }

  async #reconcile(key: string): Promise<Requeue | undefined> {
    const { namespace, name } = splitKey(key);
    const service = this.#context.view.get<ServiceObject>('services', namespace, name);
    if (!service || !isManaged(service)) {
      this.#work.delete(key);
      // Slices name the service as their owner and go with it; Endpoints only have its name.
      if (!service) await this.#writer.removeEndpoints(namespace, name);
      return undefined;
    }
    const work = this.#workFor(key);
    const now = this.#context.clock.now();
    const wait = work.lastMs + pauseFor(work.state) - now;
    if (wait > 0) return { afterMs: wait };
    work.lastMs = now;
    await this.#sync(service, work);
    return undefined;
  }

  async #sync(service: ServiceObject, work: Work): Promise<void> {
    const fresh = work.state === undefined;
    const state = work.state ?? this.#load(service);
    work.state = state;
    const { namespace = '' } = service.metadata;
    const names = fresh ? this.#allPods(service, state, work.pods) : [...work.pods];
    work.pods.clear();
    for (const name of names) {
      const pod = this.#context.view.get<PodObject>('pods', namespace, name);
      state.update(name, pod, pod && this.#zoneOf(pod));
    }
    state.ensurePlaceholders();
    try {
      await this.#write(service, state, fresh);
    } catch (error) {
      work.state = undefined;
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  async #write(service: ServiceObject, state: ServiceState, fresh: boolean): Promise<void> {
    const { write, remove } = state.slices.settle();
    for (const slice of write) await this.#writer.writeSlice(service, slice);
    for (const { object } of remove) if (object) await this.#writer.removeSlice(object);
    if (fresh) {
      const stranded = strandedSlices(service, this.#ownSlices(service));
      for (const slice of stranded) await this.#writer.removeSlice(slice);
    }
    const subsets = state.takeSubsets();
    if (subsets) await this.#writer.writeEndpoints(service, subsets);
  }

  #load(service: ServiceObject): ServiceState {
    return new ServiceState(service, this.#ownSlices(service));
  }

  /** An earlier service of the same name may have left some; they are on their way out. */
  #ownSlices({ metadata }: ServiceObject): SliceObject[] {
    return this.#context.view
      .list<SliceObject>(endpointSlices, metadata.namespace ?? '')
      .filter(isOurSlice)
      .filter((slice) => slice.metadata.labels?.[serviceNameLabel] === metadata.name)
      .filter((slice) => slice.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
  }

  /** Those that are selected, and those that were. */
  #allPods(service: ServiceObject, state: ServiceState, changed: Iterable<string>): Set<string> {
    const names = new Set([...changed, ...state.slices.podNames()]);
    for (const pod of this.#context.view.list<PodObject>('pods', service.metadata.namespace ?? '')) {
      if (selectsPod(service, pod.metadata.labels)) names.add(pod.metadata.name);
    }
    return names;
  }

  #zoneOf(pod: PodObject): string | undefined {
    const { nodeName } = pod.spec;
    const node = nodeName ? this.#context.view.get<NodeObject>('nodes', '', nodeName) : undefined;
    return node && zoneOf(node);
  }
}

function zoneOf(node: KubeObject): string | undefined {
  return node.metadata.labels?.[zoneLabel];
}

function pauseFor(state: ServiceState | undefined): number {
  const slices = state?.slices.count ?? 0;
  return Math.min(longestIntervalMs, intervalMs * Math.max(1, Math.ceil(slices / slicesPerInterval)));
}
