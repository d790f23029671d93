import type { KubeClient } from '../../kube/client/client.ts';
import type { EventRecorder } from '../../kube/events/recorder.ts';
import type { Failure } from '../../kube/outcome/failure.ts';
import { type Reconciled, runWorkers, Workqueue } from '../../kube/queue/workqueue.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { ProbedPodState, ProbedPods } from '../pods/probed-pods.ts';
import { appliedPod, type DesiredCondition, fieldManager, planCondition } from './plan-condition.ts';

export interface ConditionWriterOptions {
  readonly probedPods: ProbedPods;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly recorder: EventRecorder;
  /** Whether this agent is the one that speaks for a node. */
  readonly speaksFor: (node: string) => boolean;
  /** Resolves when the lease of a node says this of a pod, that it lists it or not, or could not be written. */
  readonly settled: (node: string, uid: string, listed: boolean) => Promise<void>;
  readonly onWrite: (written: boolean) => void;
}

interface WrittenPod {
  readonly metadata?: { readonly resourceVersion?: string };
}

const pods = { group: '', version: 'v1', plural: 'pods', namespaced: true } as const;
const workers = 8;
const backoff = { baseMs: 500, capMs: 30_000 };
/** Another agent may hold the lease of a node for a while. */
const waitForLeaseMs = 500;

/** Keeps the conditions of pods as their probes say, and writes only what differs. */
export class ConditionWriter {
  readonly #options: ConditionWriterOptions;
  readonly #queue: Workqueue;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: ConditionWriterOptions) {
    this.#options = options;
    this.#queue = new Workqueue({ clock: options.clock, ...backoff });
  }

  start(): void {
    const { log } = this.#options;
    this.#running ??= runWorkers(
      this.#queue,
      workers,
      (uid) => this.#reconcile(uid),
      (uid, error) => log.error('reconciling the condition of a pod failed', { uid, error }),
    );
  }

  touch(uid: string): void {
    this.#queue.add(uid);
  }

  async close(): Promise<void> {
    this.#queue.close();
    this.#stopping.abort();
    await this.#running;
  }

  async #reconcile(uid: string): Promise<Reconciled> {
    const { probedPods, speaksFor, settled } = this.#options;
    const found = probedPods.get(uid);
    if (found === undefined || this.#plan(found) === undefined) return { kind: 'done' };
    if (!speaksFor(found.node)) return { kind: 'again', afterMs: waitForLeaseMs };
    // Either way the lease comes first: a yes on a pod that its lease does not list yet looks like an agent that is silent.
    await settled(found.node, uid, found.verdict.disruptable);
    const pod = probedPods.get(uid);
    const desired = pod === undefined ? undefined : this.#plan(pod);
    return pod === undefined || desired === undefined ? { kind: 'done' } : this.#write(pod, desired);
  }

  #plan(pod: ProbedPodState): DesiredCondition | undefined {
    return planCondition(pod, this.#options.clock.now());
  }

  async #write(pod: ProbedPodState, desired: DesiredCondition): Promise<Reconciled> {
    const { client, probedPods, onWrite } = this.#options;
    const { namespace, name, uid } = pod.metadata;
    const body = appliedPod(pod.metadata, desired);
    const patch = { type: 'apply', body, fieldManager, force: true } as const;
    const place = { namespace, name, subresource: 'status' };
    const written = await client.patch<WrittenPod>(pods, place, patch, { signal: this.#stopping.signal });
    onWrite(written.ok);
    if (!written.ok) return this.#failed(pod, written.failure);
    probedPods.published(uid, desired, written.value.metadata?.resourceVersion ?? '');
    this.#tell(pod, desired);
    // It may be another thing to say by now.
    return probedPods.get(uid)?.verdict === pod.verdict ? { kind: 'done' } : { kind: 'again', afterMs: 0 };
  }

  #failed({ metadata }: ProbedPodState, failure: Failure): Reconciled {
    // The watch will tell that it is gone, or that another one has its name.
    if (failure.kind === 'notFound' || failure.kind === 'aborted' || isAnotherPod(failure)) return { kind: 'done' };
    const { namespace, name } = metadata;
    this.#options.log.warn('the condition of a pod could not be written', {
      namespace,
      name,
      problem: failure.message,
    });
    return { kind: 'failed' };
  }

  #tell({ metadata, present }: ProbedPodState, { status, reason, message }: DesiredCondition): void {
    const { log, recorder } = this.#options;
    const { namespace, name, uid } = metadata;
    const cannotProbe = reason === 'ProbeInvalid' || reason === 'ExecNotAllowed';
    if (present?.status === status && !(cannotProbe && present.reason !== reason)) return;
    log.info('a pod changed', { namespace, name, disruptable: status, reason });
    // Every pod begins with no result: that is no news.
    if (present === undefined && (reason === 'ProbePending' || reason === 'ContainerNotRunning')) return;
    const subject = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
    if (status === 'True') recorder.record({ subject, type: 'Normal', reason: 'Disruptable', message });
    else recorder.record({ subject, type: 'Warning', reason: cannotProbe ? reason : 'NotDisruptable', message });
  }
}

/** An applied uid that is not the pod's is a field that cannot be changed. */
function isAnotherPod({ status }: Failure): boolean {
  return status?.details?.causes?.some(({ field }) => field === 'metadata.uid') ?? false;
}
