import type { Client } from '../../client.ts';
import { isTerminating } from '../../controllers/common/pods.ts';
import type { NodeObject, PodObject } from '../../controllers/common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler } from '../../controllers/controller.ts';
import { keyOf, splitKey } from '../../objects.ts';
import type { Subscription } from '../../store/store.ts';
import type { ViewEvent } from '../../view.ts';
import { annotationOf, isDown, isSimulated, probeModeOf, sim } from '../annotations.ts';
import { PodNetwork, type PodNetworkOptions } from '../network/pod-network.ts';
import { nodeAddressOf } from '../node-agent.ts';
import { Prober } from '../probes/prober.ts';
import { WakeQueue } from '../wake-queue.ts';
import { beginPod } from './begin-pod.ts';
import { applyProbe, stepPod } from './pod-machine.ts';
import { concernsNode, runningContainers, wantedPorts } from './pod-needs.ts';
import { PodNotes } from './pod-notes.ts';
import type { MachineSettings, PodState } from './pod-state.ts';
import { podStatus } from './pod-status.ts';
import { annotatePod, removePod, writePodStatus } from './pod-writes.ts';

export interface PodAgentOptions extends Omit<PodNetworkOptions, 'clock' | 'mode'> {
  readonly settings: MachineSettings;
  readonly lifecycleEvents: boolean;
  clientForNode(node: string): Client;
}

interface Entry {
  state: PodState;
  readonly node: string;
  readonly podIp: string;
  readonly hostIp: string;
}

const atOnce = 64;

/** The kubelets of all simulated nodes: does what the machine of each pod says. */
export class PodAgent implements Controller {
  readonly #context: ControllerContext;
  readonly #options: PodAgentOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #reconciler: Reconciler;
  readonly #queue: WakeQueue;
  readonly #network: PodNetwork;
  readonly #prober: Prober;
  readonly #notes: PodNotes;
  readonly #subscriptions: readonly Subscription[];

  constructor(context: ControllerContext, options: PodAgentOptions) {
    this.#context = context;
    this.#options = options;
    this.#reconciler = new Reconciler(context, {
      name: 'simulated-pods',
      concurrency: atOnce,
      reconcile: (key) => this.#reconcile(key),
    });
    this.#queue = new WakeQueue(context.clock, (key) => this.#reconciler.add(key));
    this.#network = this.#createNetwork();
    this.#prober = this.#createProber();
    this.#notes = new PodNotes(context, options);
    this.#subscriptions = [
      context.view.watch('pods', (event) => {
        if (concernsNode(event)) this.#reconciler.add(keyOf(event.object));
      }),
      context.view.watch('nodes', (event) => this.#onNode(event)),
    ];
  }

  stop(): void {
    for (const subscription of this.#subscriptions) subscription.stop();
    this.#reconciler.stop();
    this.#queue.clear();
    this.#prober.stop();
    this.#network.stop();
  }

  #createNetwork(): PodNetwork {
    return new PodNetwork({
      ...this.#options,
      clock: this.#context.clock,
      mode: (key, asked) => {
        const pod = this.#podOf(key);
        return pod ? probeModeOf(pod, asked) : 'fail';
      },
    });
  }

  #createProber(): Prober {
    const { clock, random } = this.#context;
    const { settings } = this.#options;
    return new Prober({
      clock,
      random,
      speed: settings.speed,
      podOf: (key) => this.#podOf(key),
      addressOf: (key) => this.#entries.get(key)?.podIp ?? '',
      endpoint: (key, port) => this.#network.endpoint(key, port),
      onResult: (key, result) => {
        const entry = this.#entries.get(key);
        const pod = this.#podOf(key);
        if (!entry || !pod) return;
        const { state, notes } = applyProbe(entry.state, result, clock.now(), settings);
        entry.state = state;
        this.#notes.write(pod, entry.node, notes);
        this.#reconciler.add(key);
      },
      onFailure: (key, { kind }, output) => {
        const entry = this.#entries.get(key);
        const pod = this.#podOf(key);
        if (!entry || !pod) return;
        const message = `${kind[0]?.toUpperCase()}${kind.slice(1)} probe failed: ${output}`;
        this.#notes.write(pod, entry.node, [{ type: 'Warning', reason: 'Unhealthy', message }]);
      },
    });
  }

  #podOf(key: string): PodObject | undefined {
    const { namespace, name } = splitKey(key);
    return this.#context.view.get<PodObject>('pods', namespace, name);
  }

  #onNode({ type, object, previous }: ViewEvent): void {
    const isSame = previous && isDown(object) === isDown(previous) && isSimulated(object) === isSimulated(previous);
    if (type === 'MODIFIED' && isSame) return;
    for (const pod of this.#context.view.podsOnNode<PodObject>(object.metadata.name)) this.#reconciler.add(keyOf(pod));
  }

  async #reconcile(key: string): Promise<undefined> {
    const pod = this.#podOf(key);
    const known = this.#entries.get(key);
    if (known && known.state.uid !== pod?.metadata.uid) this.#release(key, known);
    if (!pod?.spec.nodeName) return;
    const node = this.#context.view.get<NodeObject>('nodes', '', pod.spec.nodeName);
    if (!node || !isSimulated(node)) {
      if (known) this.#release(key, known);
      return;
    }
    if (isDown(node)) {
      this.#suspend(key);
      return;
    }
    const entry = this.#entries.get(key) ?? (await this.#begin(key, pod, node));
    await this.#run(key, pod, entry);
  }

  async #run(key: string, pod: PodObject, entry: Entry): Promise<void> {
    const { state, notes, wakeMs } = stepPod(pod, entry.state, this.#context.clock.now(), this.#options.settings);
    entry.state = state;
    if (wakeMs === undefined) this.#queue.delete(key);
    else this.#queue.set(key, wakeMs);
    this.#notes.write(pod, entry.node, notes);
    await this.#connect(key, pod, entry);
    const client = this.#options.clientForNode(entry.node);
    await writePodStatus(client, pod, (current) => podStatus(current, entry.state, entry, this.#context.clock.now()));
    if (state.crashed) await annotatePod(client, pod, sim.crash, undefined);
    if (state.over && isTerminating(pod)) await removePod(client, pod);
  }

  async #begin(key: string, pod: PodObject, node: NodeObject): Promise<Entry> {
    const { clock, random } = this.#context;
    const { uid = '' } = pod.metadata;
    const state = beginPod(pod, clock.now(), random.next(), this.#options.settings);
    const hostIp = nodeAddressOf(node);
    const podIp = await (pod.spec.hostNetwork
      ? this.#network.shared(hostIp)
      : this.#network.claim(uid, pod.status?.podIP));
    const entry = { state, node: node.metadata.name, podIp, hostIp };
    this.#entries.set(key, entry);
    return entry;
  }

  /** The pod is gone, or is nothing of ours any more. */
  #release(key: string, entry: Entry): void {
    this.#suspend(key);
    this.#network.release(key, entry.state.uid);
    this.#entries.delete(key);
  }

  /** The node is cut off: its pods are not reported, and no client reaches them. */
  #suspend(key: string): void {
    this.#queue.delete(key);
    this.#prober.forget(key);
    this.#network.close(key);
  }

  /** Opens the ports that probes ask on and probes the containers that run. */
  async #connect(key: string, pod: PodObject, entry: Entry): Promise<void> {
    const running = runningContainers(pod, entry.state);
    const problems = await this.#network.sync(key, entry.podIp, wantedPorts(pod, running));
    for (const { port, why } of problems) {
      const message = `Nothing listens on port ${port} of this pod: ${why}`;
      this.#notes.write(pod, entry.node, [{ type: 'Warning', reason: 'SimPortUnavailable', message }]);
    }
    await this.#publishPorts(key, pod, entry);
    this.#prober.sync(key, pod, runningContainers(pod, entry.state));
  }

  async #publishPorts(key: string, pod: PodObject, entry: Entry): Promise<void> {
    const mapping = this.#network.mapping(key);
    if (mapping === undefined || Object.keys(mapping).length === 0) return;
    const text = JSON.stringify(mapping);
    if (annotationOf(pod, sim.ports) === text) return;
    await annotatePod(this.#options.clientForNode(entry.node), pod, sim.ports, text);
  }
}
