/** What API servers count, as far as it tells what a disruption costs them. */
export interface Writes {
  /** By resource, with its subresource: requests that changed something or wanted to. */
  readonly byResource: ReadonlyMap<string, number>;
}

const line = /^apiserver_request_total\{(.*)\} ([0-9.e+]+)$/;
const writing = new Set(['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE', 'DELETECOLLECTION']);

export function writesIn(metrics: string): Writes {
  const byResource = new Map<string, number>();
  for (const text of metrics.split('\n')) {
    const [, labels = '', value = ''] = line.exec(text) ?? [];
    if (!writing.has(labelOf(labels, 'verb')) || labelOf(labels, 'dry_run') !== '') continue;
    const subresource = labelOf(labels, 'subresource');
    const resource = `${labelOf(labels, 'resource')}${subresource === '' ? '' : `/${subresource}`}`;
    byResource.set(resource, (byResource.get(resource) ?? 0) + Number(value));
  }
  return { byResource };
}

function labelOf(labels: string, name: string): string {
  return new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
}

/** What is written because a pod is disrupted. Kubelets, leases and events go on whatever happens. */
const counted = [
  'pods/eviction',
  'pods',
  'poddisruptionbudgets',
  'poddisruptionbudgets/status',
  'podunavailablebudgets',
  'podunavailablebudgets/status',
  'disruptionledgers',
];

export function writesBetween(before: Writes, after: Writes): number {
  const of = ({ byResource }: Writes) => counted.reduce((sum, name) => sum + (byResource.get(name) ?? 0), 0);
  return of(after) - of(before);
}
