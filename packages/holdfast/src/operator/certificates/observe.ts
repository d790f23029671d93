import { noPathsSeen, type PathSightings } from '../../trust/path-segments.ts';
import type { CertificateFacts, Observed } from '../../trust/rotation-plan.ts';

/** What a leader has seen, and since when. Kept only in memory: the next leader starts its waits from zero. */
export interface Sightings extends Observed {
  readonly leaf: string | undefined;
  readonly paths: PathSightings;
}

export const nothingSeen: Sightings = {
  everywhere: new Map(),
  anywhere: [],
  leaf: undefined,
  leafSinceMs: 0,
  paths: noPathsSeen,
};

/**
 * @param bundles of every webhook of every configuration, the empty ones included
 * @param leaf the fingerprint of the leaf in the Secret
 */
export function observeBundles(
  before: Sightings,
  bundles: readonly (readonly CertificateFacts[])[],
  leaf: string | undefined,
  nowMs: number,
): Sightings {
  const [first = [], ...rest] = bundles;
  const common = first.filter(({ id }) => rest.every((bundle) => bundle.some((other) => other.id === id)));
  const known = new Map(bundles.flat().map((authority) => [authority.id, authority]));
  return {
    everywhere: new Map(common.map(({ id }) => [id, before.everywhere.get(id) ?? nowMs])),
    anywhere: [...known.values()],
    leaf,
    leafSinceMs: leaf !== undefined && leaf === before.leaf ? before.leafSinceMs : nowMs,
    paths: before.paths,
  };
}
