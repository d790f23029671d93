import type { Condition, ObjectMeta } from '../../../../base/src/meta.ts';
import { condition } from '../../../src/api/names.ts';
import type { PodDisruptionBudget } from '../../../src/api/pdb.ts';
import type { PodUnavailableBudget } from '../../../src/api/pub/pub.ts';
import type { ObjectPlace, ResourceName } from '../../../src/kube/client/client.ts';
import type { Patch } from '../../../src/kube/client/patch.ts';
import { type Failure, failed, type Outcome, succeeded } from '../../../src/kube/outcome/failure.ts';
import type { StatusClient } from '../../../src/operator/status/status-writer.ts';

export type Budget = PodDisruptionBudget | PodUnavailableBudget;

/** The API server as far as the status of budgets goes: versions, conflicts, conditions that one manager applied. */
export class FakeBudgets implements StatusClient {
  readonly objects = new Map<string, Budget>();
  /** Budgets whose condition was applied, and not written by another client. */
  readonly applied = new Set<string>();
  readonly writes: string[] = [];
  /** Failures of the next writes, instead of what would happen; or after it happened, when they say that it may have. */
  readonly failures: Failure[] = [];
  /** Called before each write takes effect: what others do meanwhile. */
  meanwhile: (key: string) => void = () => undefined;
  wrote: () => void = () => undefined;
  #version = 100;

  put(plural: string, budget: Budget): Budget {
    this.#version += 1;
    const metadata: ObjectMeta = {
      uid: `uid-${budget.metadata.name}`,
      ...budget.metadata,
      resourceVersion: String(this.#version),
    };
    const stored = { ...budget, metadata };
    this.objects.set(keyOf(plural, metadata), stored);
    return stored;
  }

  replace<T>(resource: ResourceName, place: ObjectPlace, body: object): Promise<Outcome<T>> {
    return this.#write(resource, place, body as Budget, (stored) => {
      const sent = body as PodUnavailableBudget;
      if (sent.metadata.resourceVersion !== stored.metadata.resourceVersion) return undefined;
      return { ...stored, ...(sent.status === undefined ? {} : { status: sent.status }) };
    });
  }

  patch<T>(resource: ResourceName, place: ObjectPlace, patch: Patch): Promise<Outcome<T>> {
    const key = keyOf(resource.plural, place);
    if (patch.type === 'merge') return this.#merge(resource, place, patch.body as PodUnavailableBudget);
    if (patch.type !== 'apply') {
      return this.#write(resource, place, {}, (stored) => this.#withCondition(key, stored, undefined));
    }
    const body = patch.body as PodDisruptionBudget;
    return this.#write(resource, place, body, (stored) => {
      if (body.metadata.uid !== stored.metadata.uid) return undefined;
      const next = body.status?.conditions?.[0];
      if (next === undefined && !this.applied.has(key)) return stored;
      return withNumber(this.#withCondition(key, stored, next), body);
    });
  }

  /** The definition that is installed has no conditions: what is written to them is dropped. */
  keepsNoConditions = false;

  #merge<T>(resource: ResourceName, place: ObjectPlace, body: PodUnavailableBudget): Promise<Outcome<T>> {
    return this.#write(resource, place, body, (stored) => {
      if (body.metadata.resourceVersion !== stored.metadata.resourceVersion) return undefined;
      if (this.keepsNoConditions) return stored;
      return { ...stored, status: { ...stored.status, ...body.status } } as PodUnavailableBudget;
    });
  }

  #withCondition(key: string, stored: Budget, next: Condition | undefined): Budget {
    if (next === undefined) this.applied.delete(key);
    else this.applied.add(key);
    const others = stored.status?.conditions?.filter(({ type }) => type !== condition.groupBudget) ?? [];
    const conditions = next === undefined ? others : [...others, next];
    return { ...stored, status: { ...stored.status, conditions } } as Budget;
  }

  #write<T>(
    resource: ResourceName,
    place: ObjectPlace,
    body: object,
    change: (stored: Budget) => Budget | undefined,
  ): Promise<Outcome<T>> {
    const key = keyOf(resource.plural, place);
    this.writes.push(`${key} ${JSON.stringify(body)}`);
    this.meanwhile(key);
    const failure = this.failures.shift();
    const lost = failure?.kind === 'retry' && failure.maybeDone;
    if (failure !== undefined && !lost) return Promise.resolve(failed(failure));
    const stored = this.objects.get(key);
    if (stored === undefined) return Promise.resolve(failed({ kind: 'notFound', message: 'not found' }));
    const changed = change(stored);
    if (changed === undefined) return Promise.resolve(failed({ kind: 'conflict', message: 'conflict' }));
    const next = changed === stored ? stored : this.put(resource.plural, changed);
    this.wrote();
    if (failure !== undefined) return Promise.resolve(failed(failure));
    // Safe: the caller reads the kind of object that it wrote.
    return Promise.resolve(succeeded(next as T));
  }
}

/** The projected number, in its annotation and in the status. */
function withNumber(budget: Budget, { metadata, status }: PodDisruptionBudget): Budget {
  if (status?.disruptionsAllowed === undefined) return budget;
  const annotations = { ...budget.metadata.annotations, ...metadata.annotations };
  const { disruptionsAllowed } = status;
  return {
    ...budget,
    metadata: { ...budget.metadata, annotations },
    status: { ...budget.status, disruptionsAllowed },
  } as Budget;
}

export function keyOf(plural: string, { namespace = '', name }: { namespace?: string | undefined; name: string }) {
  return `${plural}/${namespace}/${name}`;
}
