/** First what can run beside others, then what must run alone. */
export function phasesOf(specs: readonly string[], workers: number): string[][][] {
  const alone = specs.filter((spec) => spec.includes('[Serial]'));
  const together = specs.filter((spec) => !alone.includes(spec));
  return [shardsOf(together, workers), shardsOf(alone, 1)];
}

/** Specs wait more than they work, so several run beside each other; each has namespaces of its own. */
function shardsOf(specs: readonly string[], count: number): string[][] {
  const shards = Array.from({ length: Math.min(count, specs.length) }, (): string[] => []);
  for (const [index, spec] of specs.entries()) shards[index % shards.length]?.push(spec);
  return shards;
}

/** Ginkgo looks for it in the description of the suite and the whole name of the spec. */
export function focusOn(spec: string): string {
  return `${spec.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;
}
