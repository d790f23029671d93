import { isMap, type JsonMap } from '../../packages/embedded-cluster/src/patch/json-tree.ts';
import { conditionsOf } from './api-server.ts';
import { metadataOf } from './collection.ts';
import { groupSize, unitsOf, type Workload, workloadAt, workloads } from './fleet.ts';

/** Compares what the budgets show with what is the case, write by write. */
export class StatusBoard {
  readonly #isReady: (pod: number) => boolean;
  readonly #shown = new Map<number, JsonMap>();
  readonly #wrong = new Set(workloads.filter(({ protection }) => protection !== 'none').map(({ index }) => index));
  #writes = 0;
  #right: ((at: number) => void) | undefined;

  constructor(isReady: (pod: number) => boolean) {
    this.#isReady = isReady;
  }

  /** How many budgets show something wrong, or nothing yet. */
  get wrong(): number {
    return this.#wrong.size;
  }

  get writes(): number {
    return this.#writes;
  }

  /** Which, for those who have to find out why. */
  examples(): readonly unknown[] {
    return [...this.#wrong].slice(0, 3).map((index) => this.#shown.get(index) ?? workloads[index]);
  }

  written(budget: JsonMap): void {
    const { namespace, name } = metadataOf(budget);
    const workload = workloadAt(String(namespace), String(name));
    if (workload === undefined) return;
    this.#writes += 1;
    this.#shown.set(workload.index, budget);
    this.look(workload);
  }

  /** To be called when pods of the workload have changed. */
  look(workload: Workload): void {
    const shown = this.#shown.get(workload.index);
    const available = this.#available(workload);
    if (shown !== undefined && isRight(workload, available, shown)) this.#wrong.delete(workload.index);
    else this.#wrong.add(workload.index);
    if (this.#wrong.size === 0) this.#right?.(performance.now());
  }

  /** Resolves with the moment at which all budgets show what is the case. */
  allRight(): Promise<number> {
    if (this.#wrong.size === 0) return Promise.resolve(performance.now());
    return new Promise((resolve) => {
      this.#right = resolve;
    });
  }

  #available({ protection, firstPod, pods }: Workload): number {
    const size = protection === 'groups' ? groupSize : 1;
    let available = 0;
    for (let unit = 0; unit < pods / size; unit += 1) {
      const members = Array.from({ length: size }, (_, i) => firstPod + unit * size + i);
      if (members.every((pod) => this.#isReady(pod))) available += 1;
    }
    return available;
  }
}

function isRight(workload: Workload, available: number, shown: JsonMap): boolean {
  return workload.protection === 'groups'
    ? isRightPdb(workload, available, shown)
    : isRightPub(workload, available, shown);
}

/** The numbers are in the text of the condition; "Unknown" would say that nothing is guarded. */
function isRightPdb(workload: Workload, available: number, shown: JsonMap): boolean {
  const ours = conditionsOf(shown).find(({ type }) => type === 'holdfast.dev/GroupBudget');
  const numbers = `${available} groups available, ${workload.desired} needed, ${unitsOf(workload)} expected`;
  const status = available - 1 >= workload.desired ? 'True' : 'False';
  return ours?.['status'] === status && String(ours['message']).startsWith(numbers);
}

function isRightPub(workload: Workload, available: number, shown: JsonMap): boolean {
  const status = isMap(shown['status']) ? shown['status'] : {};
  const enforced = conditionsOf(shown).find(({ type }) => type === 'Enforced');
  return (
    enforced?.['status'] === 'True' &&
    status['observedGeneration'] === 1 &&
    status['currentAvailable'] === available &&
    status['desiredAvailable'] === workload.desired &&
    status['totalReplicas'] === workload.pods &&
    status['unavailableAllowed'] === Math.max(0, available - workload.desired)
  );
}
