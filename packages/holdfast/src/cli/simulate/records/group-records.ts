import { compareStrings } from '../../../core/compare.ts';
import type { GroupNode } from '../../../core/world/group-node.ts';
import type { PubState } from '../../../core/world/pub/pub-state.ts';
import type { PubUnit } from '../../../core/world/pub/pub-unit.ts';
import type { World } from '../../../core/world/world.ts';
import type { GroupResult, TimelineEvent } from '../simulation-result.ts';
import { GroupRecord } from './group-record.ts';
import type { Budget } from './observed-world.ts';

/**
 * All groups over time, whether or not a budget counts them: those that pods name by a convention, and those that only a
 * PodUnavailableBudget makes of a label.
 */
export class GroupRecords {
  readonly #records = new Map<string, GroupRecord>();
  readonly #ambiguous = new Set<string>();

  begin(world: World): void {
    this.#findAmbiguous(world);
    for (const state of world.namespaces()) {
      const groups = new Set([...state.pods.values()].flatMap((pod) => pod.groups));
      for (const group of groups) this.#look(state.name, group, 0);
      for (const pub of state.pubs.values()) this.#lookAtUnits(pub, 0);
    }
    for (const record of this.#records.values()) record.begin();
  }

  look(groups: ReadonlyMap<GroupNode, string>, budgets: readonly Budget[], at: number): readonly TimelineEvent[] {
    const byConvention = [...groups].flatMap(([group, namespace]) => this.#look(namespace, group, at));
    return [...byConvention, ...budgets.flatMap((one) => ('mode' in one ? [] : this.#lookAtUnits(one, at)))];
  }

  results(): readonly GroupResult[] {
    return [...this.#records].sort(([a], [b]) => compareStrings(a, b)).map(([, record]) => record.result());
  }

  #look(namespace: string, group: GroupNode, at: number): readonly TimelineEvent[] {
    if (!group.isGang) return [];
    const name = this.#nameOf(namespace, group);
    const record = this.#record(`${namespace}/${group.id}`, { namespace, name, of: withoutIndex(name) });
    return told(record.set(group.healthy, minimumOf(group), at), namespace, record, at);
  }

  /** One whose last pod is gone is down, and not forgotten. */
  #lookAtUnits(pub: PubState, at: number): readonly TimelineEvent[] {
    const { namespace, name } = pub.ref;
    const prefix = `${namespace}/pub/${name}/`;
    const units = new Map([...pub.units.values()].filter(isOnlyLabelled).map((unit) => [`${prefix}${unit.key}`, unit]));
    for (const [key, unit] of units) this.#record(key, { namespace, name: unit.display, of: name });
    return [...this.#records]
      .filter(([key]) => key.startsWith(prefix))
      .flatMap(([key, record]) => {
        const unit = units.get(key);
        const minimum = unit === undefined ? pub.minimum : pub.boundsOf(unit).enough;
        const change = record.set(unit?.healthy ?? 0, minimum, at);
        return told(change, namespace, record, at);
      });
  }

  #record(key: string, { namespace, name, of }: Omit<GroupResult, 'down'>): GroupRecord {
    const record = this.#records.get(key) ?? new GroupRecord(namespace, name, of);
    this.#records.set(key, record);
    return record;
  }

  /** Groups of several workloads may have the same name: then they are named in full. */
  #nameOf(namespace: string, { id, display }: GroupNode): string {
    return this.#ambiguous.has(`${namespace}/${display}`) ? id.slice(id.indexOf('/') + 1) : display;
  }

  #findAmbiguous(world: World): void {
    const ids = new Map<string, string>();
    for (const state of world.namespaces()) {
      for (const { id, display } of [...state.pods.values()].flatMap((pod) => pod.groups)) {
        const name = `${state.name}/${display}`;
        if ((ids.get(name) ?? id) !== id) this.#ambiguous.add(name);
        ids.set(name, id);
      }
    }
  }
}

function told(
  change: 'up' | 'down' | undefined,
  namespace: string,
  { name: group }: GroupRecord,
  at: number,
): readonly TimelineEvent[] {
  return change === undefined ? [] : [{ at, kind: change === 'up' ? 'groupUp' : 'groupDown', namespace, group }];
}

/** As the budgets that count it say; where none does, what the group itself says. */
function minimumOf(group: GroupNode): number {
  const said = [...group.budgets].filter(({ mode }) => mode === 'group').map((budget) => budget.boundsOf(group).enough);
  if (said.length > 0) return Math.min(...said);
  return group.wholeOnly ? group.fullSize : (group.statedMinimum ?? group.fullSize);
}

/** `llm` for group `llm/0`. */
function withoutIndex(name: string): string {
  const slash = name.lastIndexOf('/');
  return slash < 0 ? name : name.slice(0, slash);
}

/** Its pods say nothing else about their group. */
function isOnlyLabelled({ pods }: PubUnit): boolean {
  return [...pods].every(({ groups }) => groups.every(({ isGang }) => !isGang));
}
