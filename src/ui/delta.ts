import type {
  BudgetBar,
  DrainProgress,
  GroupRow,
  NodeTile,
  RefusalRow,
  TimelineLane,
  UiHead,
  UiModel,
} from './model.ts';

/** From one revision of the model to another. Lists that are absent did not change. */
export interface UiDelta {
  /** The revision that it applies to, and the one that comes of it. */
  readonly from: number;
  readonly to: number;
  /** Fields of the head that changed, whole. */
  readonly head: Partial<UiHead>;
  readonly nodes?: ListDelta<NodeTile>;
  readonly budgets?: ListDelta<BudgetBar>;
  readonly groups?: ListDelta<GroupRow>;
  readonly drains?: ListDelta<DrainProgress>;
  readonly lanes?: ListDelta<TimelineLane>;
  readonly refusals?: ListDelta<RefusalRow>;
}

export interface ListDelta<T> {
  /** New, or changed, whole. */
  readonly put: readonly T[];
  /** Keys. */
  readonly gone: readonly string[];
}

interface Keyed {
  readonly key: string;
}

/** A page and the server use the same function, so that they cannot differ. */
export function applyDelta(model: UiModel, delta: UiDelta): UiModel {
  return {
    head: { ...model.head, ...delta.head },
    nodes: applyList(model.nodes, delta.nodes),
    budgets: applyList(model.budgets, delta.budgets),
    groups: applyList(model.groups, delta.groups),
    drains: applyList(model.drains, delta.drains),
    lanes: applyList(model.lanes, delta.lanes),
    refusals: applyList(model.refusals, delta.refusals),
  };
}

function applyList<T extends Keyed>(items: readonly T[], delta: ListDelta<T> | undefined): readonly T[] {
  if (delta === undefined) return items;
  const byKey = new Map(items.map((item) => [item.key, item]));
  for (const key of delta.gone) byKey.delete(key);
  for (const item of delta.put) byKey.set(item.key, item);
  return [...byKey.values()].sort(byKeyOf);
}

export function byKeyOf(a: Keyed, b: Keyed): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
