/** First what can run beside others, then what must run alone. */
export function phasesOf(specs: readonly string[]): {
  readonly together: readonly string[];
  readonly alone: readonly string[];
} {
  const alone = specs.filter((spec) => spec.includes('[Serial]'));
  return { together: specs.filter((spec) => !alone.includes(spec)), alone };
}

/** Ginkgo looks for it in the description of the suite and the whole name of the spec. */
export function focusOn(spec: string): string {
  return `${spec.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;
}
