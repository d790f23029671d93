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

/** What has to be sent to a page that has `before`, so that it has `after`. Undefined: nothing but the revision differs. */
export function deltaBetween(before: UiModel, after: UiModel): UiDelta | undefined {
  const lists = withoutUndefined({
    nodes: listDelta(before.nodes, after.nodes),
    budgets: listDelta(before.budgets, after.budgets),
    groups: listDelta(before.groups, after.groups),
    drains: listDelta(before.drains, after.drains),
    lanes: listDelta(before.lanes, after.lanes),
    refusals: listDelta(before.refusals, after.refusals),
  });
  const head = changedFields(before.head, after.head);
  if (Object.keys(head).length === 0 && Object.keys(lists).length === 0) return undefined;
  const { revision } = after.head;
  return { from: before.head.revision, to: revision, head: { ...head, revision }, ...lists };
}

function changedFields(before: UiHead, after: UiHead): Partial<UiHead> {
  const fields = Object.entries(after).filter(([name, value]) => {
    return name !== 'revision' && !isSame(before[name as keyof UiHead], value);
  });
  return Object.fromEntries(fields);
}

/** What is absent is not sent: JSON has no undefined. */
function withoutUndefined<T extends object>(fields: T): { readonly [Name in keyof T]?: NonNullable<T[Name]> } {
  // Safe: nothing but undefined values is taken out.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

function listDelta<T extends Keyed>(before: readonly T[], after: readonly T[]): ListDelta<T> | undefined {
  if (before === after) return undefined;
  const known = new Map(before.map((item) => [item.key, item]));
  const put: T[] = [];
  for (const item of after) {
    const old = known.get(item.key);
    known.delete(item.key);
    if (old === undefined || !isSame(old, item)) put.push(item);
  }
  const gone = [...known.keys()];
  return put.length + gone.length === 0 ? undefined : { put, gone };
}

/** Of plain JSON. What was not computed again is the same object, so that most comparisons end at once. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  return names.every((name) => Object.hasOwn(right, name) && isSame(left[name], right[name]));
}
