import { Counter, Gauge, Histogram, Registry as MetricsRegistry } from 'prom-client';
import type { Observation } from './http/server.ts';
import type { ResourceTypes } from './kinds/resource-type.ts';
import type { Store } from './store/store.ts';

export interface RequestMetrics {
  observe(observation: Observation): void;
  render(): Promise<string>;
}

/** Named as the real API server names them, so that existing dashboards read them. */
export function createRequestMetrics(store: Store, types: ResourceTypes): RequestMetrics {
  const known = knownNames(types);
  const registry = new MetricsRegistry();
  const requests = new Counter({
    name: 'apiserver_request_total',
    help: 'Requests by verb, resource, subresource and code.',
    labelNames: ['verb', 'resource', 'subresource', 'code'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer; for watches, to the beginning of the stream.',
    labelNames: ['verb', 'resource', 'subresource'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30],
    registers: [registry],
  });
  new Gauge({
    name: 'apiserver_storage_objects',
    help: 'Objects in the store by resource.',
    labelNames: ['resource'],
    registers: [registry],
    collect() {
      this.reset();
      for (const resource of store.resources()) this.set({ resource }, store.count(resource));
    },
  });
  return {
    observe({ verb, resource, subresource, code, seconds }) {
      const place = known(verb, resource, subresource);
      requests.inc({ ...place, code });
      durations.observe(place, seconds);
    },
    render: () => registry.metrics(),
  };
}

/** Clients choose paths and methods, but not labels: what is not served is counted as nothing in particular. */
function knownNames(types: ResourceTypes) {
  let generation = -1;
  let names = new Set<string>();
  const verbs = new Set(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']);
  return (verb: string, resource: string, subresource: string) => {
    if (generation !== types.generation) {
      generation = types.generation;
      names = new Set([...types.all()].flatMap((type) => [type.plural, ...type.subresources.keys()]));
    }
    return {
      verb: verbs.has(verb) ? verb : 'other',
      resource: names.has(resource) ? resource : '',
      subresource: names.has(subresource) ? subresource : '',
    };
  };
}
