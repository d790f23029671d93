import { type Fields, isObject } from '@holdfast/base/json';
import type { KubeClient, ResourceName } from '../../kube/client/client.ts';
import { ObjectCache } from '../../kube/reflector/cache.ts';
import { Reflector, type ServerTraits } from '../../kube/reflector/reflector.ts';
import type { Reflected } from '../../kube/reflector/sink.ts';
import type { Clock } from '../../kube/time/clock.ts';
import type { Random } from '../../kube/time/random.ts';
import type { Logger } from '../../telemetry/log.ts';

export interface WatchOptions {
  readonly client: KubeClient;
  readonly traits: ServerTraits;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The body is whatever the API server sent: its readers check it. */
export type WatchedBody = Reflected & Fields;

/** One object, by its name: that is all that RBAC allows of a Secret. */
export class WatchedObject {
  readonly #cache: ObjectCache<WatchedBody>;
  readonly #reflector: Reflector<WatchedBody>;
  readonly #place: { readonly namespace?: string; readonly name: string };

  /** @param seen called with every event and bookmark, also when the object has not changed */
  constructor(
    options: WatchOptions,
    resource: ResourceName,
    place: { readonly namespace?: string; readonly name: string },
    seen: () => void,
  ) {
    const { log, ...rest } = options;
    const { namespace, name } = place;
    const fields = { resource: resource.plural, name };
    this.#place = place;
    this.#cache = new ObjectCache({ report: (error) => log.error('reading an object failed', { ...fields, error }) });
    this.#cache.listen({ progress: seen });
    this.#reflector = new Reflector<WatchedBody>({
      ...rest,
      resource,
      selection: { ...(namespace === undefined ? {} : { namespace }), fieldSelector: `metadata.name=${name}` },
      project: namedBody,
      sink: this.#cache,
      report: (end) => log.warn('the watch of an object was interrupted', { ...fields, end: endText(end) }),
    });
    this.#reflector.start();
  }

  /** The same one as before, unless it has changed. Undefined: there is none, or nothing is known yet. */
  get object(): WatchedBody | undefined {
    return this.#cache.get(this.#place.namespace, this.#place.name);
  }

  /** Milliseconds since the last event or bookmark of the API server. Infinity: there was none. */
  silentMs(): number {
    return this.#reflector.silentMs();
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }
}

function namedBody(object: Fields): WatchedBody {
  const { metadata } = object;
  if (!isObject(metadata) || typeof metadata['name'] !== 'string') throw new SyntaxError('an object has a name');
  // Safe: the name is there, and of the rest only what is compared as it is.
  return object as WatchedBody;
}

function endText(end: { readonly kind: string; readonly message?: string; readonly failure?: { message: string } }) {
  return `${end.kind}: ${end.failure?.message ?? end.message ?? ''}`;
}
