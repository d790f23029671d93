import type { NominalSeats } from './flowcontrol/flow-control.ts';
import type { Observation } from './http/front.ts';
import type { ResourceTypes } from './kinds/resource-type.ts';
import type { Store } from './store/store.ts';

export interface RequestMetrics {
  observe(observation: Observation): void;
  /** In Prometheus' text format. */
  render(): string;
}

const bounds = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30];

/** What is counted of the requests of one kind. Plain numbers: every request passes here. */
interface Series {
  readonly labels: string;
  readonly codes: Map<number, number>;
  /** Of requests that took as long as the bound at most, and longer than the one before. */
  readonly within: number[];
  count: number;
  seconds: number;
}

/** Named as the real API server names them, so that existing dashboards read them. */
export function createRequestMetrics(
  store: Store,
  types: ResourceTypes,
  nominalSeats: () => readonly NominalSeats[],
): RequestMetrics {
  const known = knownNames(types);
  const all = new Map<string, Series>();
  return {
    observe({ verb, resource, subresource, code, seconds }) {
      const labels = known(verb, resource, subresource);
      const series = all.get(labels) ?? newSeries(labels);
      all.set(labels, series);
      series.codes.set(code, (series.codes.get(code) ?? 0) + 1);
      const bucket = bounds.findIndex((bound) => seconds <= bound);
      if (bucket >= 0) series.within[bucket] = (series.within[bucket] ?? 0) + 1;
      series.count += 1;
      series.seconds += seconds;
    },
    render() {
      const lines = [
        ...requests(all.values()),
        ...durations(all.values()),
        ...objects(store),
        ...seats(nominalSeats()),
      ];
      return `${lines.join('\n')}\n`;
    },
  };
}

function newSeries(labels: string): Series {
  return { labels, codes: new Map(), within: bounds.map(() => 0), count: 0, seconds: 0 };
}

function* requests(all: Iterable<Series>): Iterable<string> {
  yield* heading('apiserver_request_total', 'counter', 'Requests by verb, resource, subresource and code.');
  for (const { labels, codes } of all) {
    for (const [code, count] of codes) yield `apiserver_request_total{${labels},code="${code}"} ${count}`;
  }
}

function* durations(all: Iterable<Series>): Iterable<string> {
  const name = 'apiserver_request_duration_seconds';
  const help = 'Time from the first byte of a request to its answer; for watches, to the beginning of the stream.';
  yield* heading(name, 'histogram', help);
  for (const { labels, within, count, seconds } of all) {
    let sum = 0;
    for (const [index, bound] of bounds.entries()) {
      sum += within[index] ?? 0;
      yield `${name}_bucket{${labels},le="${bound}"} ${sum}`;
    }
    yield `${name}_bucket{${labels},le="+Inf"} ${count}`;
    yield `${name}_sum{${labels}} ${seconds}`;
    yield `${name}_count{${labels}} ${count}`;
  }
}

function* objects(store: Store): Iterable<string> {
  yield* heading('apiserver_storage_objects', 'gauge', 'Objects in the store by resource.');
  for (const resource of store.resources()) {
    yield `apiserver_storage_objects{resource="${resource}"} ${store.count(resource)}`;
  }
}

function* seats(all: readonly NominalSeats[]): Iterable<string> {
  const name = 'apiserver_flowcontrol_nominal_limit_seats';
  yield* heading(name, 'gauge', 'What the shares of each priority level come to. Nothing is limited by it here.');
  for (const { priorityLevel, seats: count } of all) yield `${name}{priority_level="${priorityLevel}"} ${count}`;
}

function heading(name: string, type: string, help: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

const verbs = new Set(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']);

/** Clients choose paths and methods, but not labels: what is not served is counted as nothing in particular. */
function knownNames(types: ResourceTypes) {
  let generation = -1;
  let names = new Set<string>();
  const nameOf = (name: string) => (names.has(name) ? name : '');
  return (verb: string, resource: string, subresource: string): string => {
    if (generation !== types.generation) {
      generation = types.generation;
      names = new Set([...types.all()].flatMap((type) => [type.plural, ...type.subresources.keys()]));
    }
    const asked = verbs.has(verb) ? verb : 'other';
    return `verb="${asked}",resource="${nameOf(resource)}",subresource="${nameOf(subresource)}"`;
  };
}
