/** Specs wait more than they work, so several run beside each other; each has namespaces of its own. */
export function shardsOf(specs: readonly string[], count: number): string[][] {
  const shards = Array.from({ length: Math.min(count, specs.length) }, (): string[] => []);
  for (const [index, spec] of specs.entries()) shards[index % shards.length]?.push(spec);
  return shards;
}

/** Ginkgo looks for it in the description of the suite and the whole name of the spec. */
export function focusOn(spec: string): string {
  return `${spec.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;
}
