/** What values beyond the limit are called. */
export const otherValue = 'other';

/**
 * Keeps the number of series bounded where others choose the values of a label: the first `limit` different ones are
 * themselves, all later ones are `other`. A value that was itself once stays so, or its series would stop and start.
 */
export function boundedValues(limit: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= limit) return otherValue;
    known.add(value);
    return value;
  };
}
