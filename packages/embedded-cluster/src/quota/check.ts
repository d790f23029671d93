import type { Container, Pod } from 'kubernetes-types/core/v1.js';
import { formatQuantity, parseQuantity, type Quantity } from '../kinds/quantity.ts';
import type { KubeObject } from '../objects.ts';
import type { Usage } from './usage.ts';

type Amounts = Readonly<Record<string, unknown>>;

/** What a quota that limits these asks of every container: otherwise its usage would be unknown. */
const mustBeSpecified: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);

/** Why a pod cannot be counted; undefined where it can. */
export function unspecified(pod: KubeObject & Pod, hard: Amounts): string | undefined {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const lacking = Object.keys(hard)
    .filter((name) => mustBeSpecified.has(name))
    .sort()
    .map((name) => ({ name, by: containers.filter((container) => !specifies(container, name)) }))
    .filter(({ by }) => by.length > 0);
  if (lacking.length === 0) return undefined;
  return lacking.map(({ name, by }) => `${name} for: ${by.map((container) => container.name).join(',')}`).join('; ');
}

function specifies({ resources }: Container, name: string): boolean {
  const [list, resource] = name.startsWith('limits.')
    ? [resources?.limits, name.slice('limits.'.length)]
    : [resources?.requests, name.replace('requests.', '')];
  return list !== undefined && Object.hasOwn(list, resource);
}

export interface QuotaClaim {
  readonly hard: Amounts;
  readonly used: Usage;
  readonly before: Usage;
  readonly after: Usage;
}

/** Requested, used and limited, of everything that would be more than there is; undefined where it all fits. */
export function exceeded({ hard, used, before, after }: QuotaClaim): string | undefined {
  const over: { name: string; requested: Quantity; used: Quantity; limit: Quantity }[] = [];
  for (const name of Object.keys(hard).sort()) {
    const limit = parseQuantity(hard[name]);
    const more = (after.get(name) ?? 0n) - (before.get(name) ?? 0n);
    if (limit === undefined || more <= 0n) continue;
    const taken = used.get(name) ?? 0n;
    if (taken + more <= limit.nanos) continue;
    const { format } = limit;
    over.push({ name, requested: { nanos: more, format }, used: { nanos: taken, format }, limit });
  }
  if (over.length === 0) return undefined;
  const list = (key: 'requested' | 'used' | 'limit') =>
    over.map((one) => `${one.name}=${formatQuantity(one[key])}`).join(',');
  return `requested: ${list('requested')}, used: ${list('used')}, limited: ${list('limit')}`;
}

/** What a quota shows of what is used: of each limit, written as the limit is. */
export function shownUsage(hard: Amounts, used: Usage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(hard).map(([name, limit]) => {
      const format = parseQuantity(limit)?.format ?? 'decimalSI';
      return [name, formatQuantity({ nanos: used.get(name) ?? 0n, format })];
    }),
  );
}
