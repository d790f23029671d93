import type { PodObject } from '../common/workloads.ts';
import { isManaged, selectsPod } from './members.ts';
import type { ServiceObject } from './types.ts';

/** The services that select pods, by namespace. */
export class ServiceIndex {
  readonly #byNamespace = new Map<string, Map<string, ServiceObject>>();

  set(service: ServiceObject): void {
    if (!isManaged(service)) {
      this.remove(service);
      return;
    }
    const { namespace = '', name } = service.metadata;
    const services = this.#byNamespace.get(namespace);
    if (services) services.set(name, service);
    else this.#byNamespace.set(namespace, new Map([[name, service]]));
  }

  remove({ metadata: { namespace = '', name } }: ServiceObject): void {
    const services = this.#byNamespace.get(namespace);
    services?.delete(name);
    if (services?.size === 0) this.#byNamespace.delete(namespace);
  }

  /** Those that select the pod as it is, or as it was. */
  *selecting(pod: PodObject, before: PodObject): Iterable<ServiceObject> {
    for (const service of this.#byNamespace.get(pod.metadata.namespace ?? '')?.values() ?? []) {
      if (selectsPod(service, pod.metadata.labels) || selectsPod(service, before.metadata.labels)) yield service;
    }
  }
}
