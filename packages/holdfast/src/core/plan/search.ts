import { type PackedWave, WavePacker } from './pack-wave.ts';
import type { DrainCandidate, Site } from './site.ts';

/** With more nodes than this there are too many ways to share them out: 512 sets, and 20,000 ways to join two. */
const maxNodes = 9;
/** Questions to the engine; each takes some microseconds. */
const maxQuestions = 200_000;

export interface Searched {
  /** The sets of the shortest plan that was found, if room were no matter. */
  readonly sets: readonly (readonly DrainCandidate[])[];
  readonly tried: number;
  /** There is none shorter. Where nodes take several rounds, pods might be shared out among these in ways that were not tried. */
  readonly proven: boolean;
}

/** The shortest plan as far as budgets go, where there are few enough nodes to try every set of them. */
export function searchShortest(site: Site): Searched | undefined {
  // Nodes that take several rounds can give way to those that do not.
  const candidates = [...site.candidates].sort((a, b) => a.alone.rounds - b.alone.rounds);
  const pods = candidates.reduce((sum, { alone }) => sum + alone.order.length * alone.rounds, 0);
  const subsets = 2 ** candidates.length;
  if (candidates.length === 0 || candidates.length > maxNodes || pods * subsets > maxQuestions) return undefined;
  const fits = Array.from({ length: subsets }, (_, set) => set > 0 && goTogether(site, membersOf(candidates, set)));
  return {
    sets: fewest(fits).map((set) => membersOf(candidates, set)),
    tried: subsets - 1,
    proven: candidates.every(({ alone }) => alone.rounds === 1),
  };
}

function goTogether(site: Site, members: readonly DrainCandidate[]): boolean {
  const wave: PackedWave = new WavePacker(site, undefined).pack(members, members.length);
  return wave.members.length === members.length;
}

function membersOf(candidates: readonly DrainCandidate[], set: number): readonly DrainCandidate[] {
  return candidates.filter((_, i) => (set & (1 << i)) !== 0);
}

/** For every set of nodes the fewest waves, from those of its parts. */
function fewest(fits: readonly boolean[]): readonly number[] {
  const waves: number[] = [0];
  const last: number[] = [0];
  for (let set = 1; set < fits.length; set += 1) {
    waves[set] = Number.POSITIVE_INFINITY;
    for (let part = set; part > 0; part = (part - 1) & set) {
      const total = 1 + (waves[set ^ part] ?? 0);
      if (fits[part] !== true || total >= (waves[set] ?? 0)) continue;
      waves[set] = total;
      last[set] = part;
    }
  }
  const parts: number[] = [];
  for (let left = fits.length - 1; left > 0; left ^= last[left] ?? left) parts.push(last[left] ?? left);
  return parts;
}
