import type { Condition } from '@holdfast/base/meta';

/** For people, and shorter than what the API server takes; errors may quote a field's value of any length. */
const maxMessage = 4_096;

export function boundedCondition(condition: Condition): Condition {
  const { message } = condition;
  if (message === undefined || message.length <= maxMessage) return condition;
  return { ...condition, message: `${message.slice(0, maxMessage - 3)}...` };
}

/** Whether two conditions say the same, whenever they began to. */
export function sameCondition(one: Condition | undefined, other: Condition | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.type === other.type &&
    one.status === other.status &&
    one.reason === other.reason &&
    one.observedGeneration === other.observedGeneration &&
    one.message === other.message
  );
}
