import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import type { KubeObject } from '../../objects.ts';
import { timestamp } from '../../time/clock.ts';
import type { ControllerContext } from '../controller.ts';
import { type Correlation, EventCorrelator } from './event-correlator.ts';
import { fnv1a } from './hash.ts';

export type EventType = 'Normal' | 'Warning';

/** More do not tell of one object at one moment. */
const maxTries = 10;

interface RecordedEvent extends KubeObject {
  message?: string;
  count?: number;
  lastTimestamp?: string;
}

type EventContext = Pick<ControllerContext, 'clock' | 'report' | 'normalEvents'>;

/**
 * Writes core/v1 events about objects. Callers do not wait for them, and none of them is worth failing for: what the API server
 * refuses is reported and lost.
 */
export class EventRecorder {
  readonly #context: EventContext;
  readonly #client: Client;
  readonly #component: string;
  readonly #correlator = new EventCorrelator();
  #sequence: number;
  #last: Promise<void> = Promise.resolve();

  constructor(context: EventContext, client: Client, component: string) {
    this.#context = context;
    this.#client = client;
    this.#component = component;
    // Recorders of different components that tell about one object in the same moment start at different numbers.
    this.#sequence = fnv1a(component);
  }

  event(object: KubeObject, type: EventType, reason: string, message: string): void {
    if (type === 'Normal' && this.#context.normalEvents === false) return;
    // One after the other, so that a repetition finds the event that it repeats.
    this.#last = this.#last.then(() => this.#record(object, type, reason, message));
  }

  async #record(object: KubeObject, type: EventType, reason: string, message: string): Promise<void> {
    const involved = `${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name} ${object.metadata.uid ?? ''}`;
    const now = this.#context.clock.now();
    const correlation = this.#correlator.correlate({ involved, type, reason, message }, now);
    try {
      await this.#write(correlation, object, type, reason);
    } catch (error) {
      // A namespace that is being deleted takes no events any more.
      if (!isApiError(error, 403) && !isApiError(error, 404)) {
        this.#context.report(this.#component, involved, error);
      }
    }
  }

  async #write(correlation: Correlation, object: KubeObject, type: EventType, reason: string): Promise<void> {
    if (correlation.kind === 'drop') return;
    if (correlation.kind === 'repeat' && (await this.#repeat(correlation, object))) return;
    const name = await this.#create(object, type, reason, correlation.message);
    this.#correlator.created(correlation.key, name);
  }

  /** In virtual time another recorder of the same component may have said something of the object at the very same moment. */
  async #create(object: KubeObject, type: EventType, reason: string, message: string): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      const event = this.#newEvent(object, type, reason, message);
      try {
        await this.#client.create('events', event);
        return event.metadata.name;
      } catch (error) {
        if (!isApiError(error, 409) || tries >= maxTries) throw error;
      }
    }
  }

  async #repeat(correlation: Extract<Correlation, { kind: 'repeat' }>, object: KubeObject): Promise<boolean> {
    try {
      await this.#client.modify<RecordedEvent>('events', eventNamespace(object), correlation.name, (draft) => ({
        ...draft,
        count: (draft.count ?? 1) + 1,
        lastTimestamp: timestamp(this.#context.clock.now()),
        message: correlation.message,
      }));
      return true;
    } catch (error) {
      if (!isApiError(error, 404)) throw error;
      this.#correlator.forget(correlation.key);
      return false;
    }
  }

  #newEvent(object: KubeObject, type: EventType, reason: string, message: string): KubeObject {
    const now = this.#context.clock.now();
    this.#sequence += 1;
    const unique = (BigInt(now) * 1_000_000n + BigInt(this.#sequence % 1_000_000)).toString(16);
    const { namespace, name, uid, resourceVersion } = object.metadata;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${unique}`, namespace: eventNamespace(object) },
      involvedObject: {
        kind: object.kind,
        ...(namespace ? { namespace } : {}),
        name,
        uid,
        apiVersion: object.apiVersion,
        ...(resourceVersion ? { resourceVersion } : {}),
      },
      reason,
      message,
      source: { component: this.#component },
      firstTimestamp: timestamp(now),
      lastTimestamp: timestamp(now),
      count: 1,
      type,
      eventTime: null,
      reportingComponent: this.#component,
      reportingInstance: '',
    };
  }
}

/** Events about objects outside namespaces live in `default`. */
function eventNamespace(object: KubeObject): string {
  return object.metadata.namespace || 'default';
}
