/** The few words that every text for people shares: numbers with their nouns, and the short names of budgets. */

/** A number with its noun: `1 pod`, `2 pods`. */
export function counted(count: number, noun: string): string {
  return `${count} ${plural(count, noun)}`;
}

/** The noun that agrees with a number: `pod`, `pods`. */
export function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}

/** The verb that agrees with a number: `agree(n, 'is', 'are')`. */
export function agree(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}

const shortKinds = { PodDisruptionBudget: 'PDB', PodUnavailableBudget: 'PUB' } as const;

/** A budget as a person says it: `PDB llm`. */
export function budgetName({ kind, name }: { readonly kind: keyof typeof shortKinds; readonly name: string }): string {
  return `${shortKinds[kind]} ${name}`;
}
