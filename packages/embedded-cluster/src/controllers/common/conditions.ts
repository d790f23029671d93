/** Lists of conditions, as statuses keep them: one of each type. */

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export function findCondition<T extends Condition>(conditions: readonly T[] | undefined, type: string): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function withoutCondition<T extends Condition>(conditions: readonly T[] | undefined, type: string): T[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}

/** Moves the condition to the end, unless status and reason are what they were; a transition is a change of status. */
export function withCondition<T extends Condition>(conditions: readonly T[] | undefined, next: T): T[] {
  const current = findCondition(conditions, next.type);
  if (current && current.status === next.status && current.reason === next.reason) return [...(conditions ?? [])];
  const kept =
    current?.lastTransitionTime !== undefined && current.status === next.status
      ? { lastTransitionTime: current.lastTransitionTime }
      : {};
  return [...withoutCondition(conditions, next.type), { ...next, ...kept }];
}
