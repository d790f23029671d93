import type { KubeObject } from './objects.ts';
import { alreadyAllocated, noAddressLeft } from './service-errors.ts';
import type { View } from './view.ts';

/** Services get addresses that nothing listens on: 10.96.0.0/16, as most clusters have it. */
const prefix = '10.96';
const first = 10;
const last = 65_000;

interface ServiceSpec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
}

/** Gives each service an address of its own. What is taken is read from the services themselves, so nothing can leak. */
export class ServiceAddresses {
  readonly #view: View;
  #next = first;

  constructor(view: View) {
    this.#view = view;
  }

  allocate(draft: KubeObject): void {
    const spec = (draft['spec'] ?? {}) as ServiceSpec;
    if (spec.type === 'ExternalName') return;
    if (spec.clusterIP === 'None') {
      spec.clusterIPs = ['None'];
      return;
    }
    const taken = this.#taken();
    if (spec.clusterIP && taken.has(spec.clusterIP)) throw alreadyAllocated(draft.metadata.name, spec.clusterIP);
    spec.clusterIP ||= this.#free(taken, draft.metadata.name);
    spec.clusterIPs = [spec.clusterIP];
    draft['spec'] = spec;
  }

  #taken(): ReadonlySet<string> {
    const taken = new Set<string>();
    for (const service of this.#view.list('services')) {
      const address = (service['spec'] as ServiceSpec | undefined)?.clusterIP;
      if (address && address !== 'None') taken.add(address);
    }
    return taken;
  }

  #free(taken: ReadonlySet<string>, name: string): string {
    for (let tries = first; tries <= last; tries += 1) {
      const number = this.#next;
      this.#next = number >= last ? first : number + 1;
      const address = `${prefix}.${number >> 8}.${number & 0xff}`;
      if (!taken.has(address)) return address;
    }
    throw noAddressLeft(name);
  }
}
