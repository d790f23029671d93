import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import { EventRecorder } from '../common/events.ts';
import type { ControllerContext } from '../controller.ts';
import type { GroupReference } from './groups.ts';
import type { PodNeeds } from './pod-needs.ts';
import { type GroupProgress, writeGroupProgress, writeUnschedulable } from './scheduling-status.ts';

const schedulerName = 'kube-scheduler';

/** Writes under way at once; the next decisions wait for them. */
const maxInFlight = 64;

/** All that the scheduler writes. Scheduling does not wait for a single write, but the number of writes at a time is limited. */
export class SchedulerWrites {
  readonly #context: ControllerContext;
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #onDone: () => void;
  #inFlight = 0;

  constructor(context: ControllerContext, onDone: () => void) {
    this.#context = context;
    this.#client = context.clientFor(schedulerName);
    this.#events = new EventRecorder(context, this.#client, 'default-scheduler');
    this.#onDone = onDone;
  }

  get isFull(): boolean {
    return this.#inFlight >= maxInFlight;
  }

  /** `after` is called in any case: what has become of the pod is to be seen in the view. */
  bind({ key, namespace, uid, pod }: PodNeeds, node: string, successEvent: boolean, after: () => void): void {
    const bound = async (): Promise<void> => {
      try {
        await this.#client.bind(namespace, pod.metadata.name, uid, node);
        if (successEvent) this.#events.event(pod, 'Normal', 'Scheduled', `Successfully assigned ${key} to ${node}`);
      } catch (error) {
        // The pod is deleted, or was bound by another scheduler.
        if (!isApiError(error, 404) && !isApiError(error, 409)) throw error;
      } finally {
        after();
      }
    };
    this.#track(key, bound());
  }

  unschedulable({ key, pod }: PodNeeds, message: string): void {
    this.#events.event(pod, 'Warning', 'FailedScheduling', message);
    this.#track(key, writeUnschedulable(this.#client, pod, message, this.#context.clock.now()));
  }

  groupProgress({ namespace, source }: GroupReference, progress: GroupProgress): void {
    if (source.kind !== 'PodGroup') return;
    const now = this.#context.clock.now();
    this.#track(source.name, writeGroupProgress(this.#client, namespace, source.name, progress, now));
  }

  #track(key: string, work: Promise<void>): void {
    this.#inFlight += 1;
    void work
      .catch((error: unknown) => {
        if (!isApiError(error, 404)) this.#context.report(schedulerName, key, error);
      })
      .then(() => {
        this.#inFlight -= 1;
        this.#onDone();
      });
  }
}
