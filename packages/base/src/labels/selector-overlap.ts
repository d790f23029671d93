import type { Requirement, Selector } from './label-selector.ts';

/**
 * Whether two selectors are in each other's way, as PodUnavailableBudgets see it: both constrain exactly the same keys,
 * and for each key something (a value, or its absence) suits both. A key that only one of them names counts as no
 * overlap, although pods may well match both: that is how a budget for a part of an application stays possible.
 */
export function overlap(left: Selector, right: Selector): boolean {
  const ours = byKey(left);
  const theirs = byKey(right);
  if (ours.size !== theirs.size) return false;
  for (const [key, requirements] of ours) {
    const others = theirs.get(key);
    if (others === undefined || !satisfiable([...requirements, ...others])) return false;
  }
  return true;
}

function byKey(selector: Selector): ReadonlyMap<string, readonly Requirement[]> {
  const groups = new Map<string, Requirement[]>();
  for (const requirement of selector) {
    const group = groups.get(requirement.key);
    if (group === undefined) groups.set(requirement.key, [requirement]);
    else group.push(requirement);
  }
  return groups;
}

/** All requirements are on one key. */
function satisfiable(requirements: readonly Requirement[]): boolean {
  if (requirements.every(allowsAbsence)) return true;
  if (requirements.some((requirement) => requirement.op === 'DoesNotExist')) return false;
  const candidates = requirements.find((requirement) => requirement.op === 'In');
  // Without an In every value but the finitely many that NotIn names will do, and there is always another one.
  if (candidates === undefined || candidates.op !== 'In') return true;
  return candidates.values.some((value) => requirements.every((requirement) => allowsValue(requirement, value)));
}

function allowsAbsence(requirement: Requirement): boolean {
  return requirement.op === 'DoesNotExist' || requirement.op === 'NotIn';
}

function allowsValue(requirement: Requirement, value: string): boolean {
  switch (requirement.op) {
    case 'Exists':
      return true;
    case 'DoesNotExist':
      return false;
    case 'In':
      return requirement.values.includes(value);
    case 'NotIn':
      return !requirement.values.includes(value);
  }
}
