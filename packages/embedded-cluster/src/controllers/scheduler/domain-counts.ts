/** How many pods of some sort there are on each node, and in each domain of one topology: zones, racks, hosts. */
export class DomainCounts {
  readonly topologyKey: string;
  readonly byNode = new Map<string, number>();
  readonly byDomain = new Map<string, number>();

  constructor(topologyKey: string) {
    this.topologyKey = topologyKey;
  }

  change(node: string, domain: string | undefined, delta: 1 | -1): void {
    shift(this.byNode, node, delta);
    if (domain !== undefined) shift(this.byDomain, domain, delta);
  }

  /** Nodes got other labels: the same pods may be in other domains now. */
  regroup(domainOf: (node: string) => string | undefined): void {
    this.byDomain.clear();
    for (const [node, count] of this.byNode) {
      const domain = domainOf(node);
      if (domain !== undefined) shift(this.byDomain, domain, count);
    }
  }

  inDomain(domain: string): number {
    return this.byDomain.get(domain) ?? 0;
  }

  get isEmpty(): boolean {
    return this.byNode.size === 0;
  }
}

function shift(counts: Map<string, number>, key: string, delta: number): void {
  const next = (counts.get(key) ?? 0) + delta;
  if (next > 0) counts.set(key, next);
  else counts.delete(key);
}
