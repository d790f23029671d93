import { maxBudgetsPerPod } from '../world/crowding.ts';

/** A number with its noun, as people write it: `1 pod`, `2 pods`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** What it means for a budget that it covers pods which it cannot count (N7). */
export function uncountedText(pods: number): string {
  const are = pods === 1 ? 'is' : 'are';
  return `${pods} of its pods ${are} under more than ${maxBudgetsPerPod} budgets and cannot be counted, so all its pods are refused: delete budgets that cover the same pods`;
}
