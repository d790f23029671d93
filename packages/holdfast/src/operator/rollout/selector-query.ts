import type { LabelSelector, LabelSelectorRequirement } from '@holdfast/base/meta';

/** A selector as a list is asked with it. Undefined: it has words that we do not know, and would select something else. */
export function selectorQuery({ matchLabels, matchExpressions }: LabelSelector): string | undefined {
  const equal = Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const parts: readonly (string | undefined)[] = [...equal, ...(matchExpressions ?? []).map(requirement)];
  return parts.includes(undefined) ? undefined : parts.join(',');
}

function requirement({ key, operator, values = [] }: LabelSelectorRequirement): string | undefined {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return undefined;
  }
}
