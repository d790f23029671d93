import type { PodDisruptionBudget } from '../../api/pdb.ts';
import { agree, counted } from '../../api/wording.ts';

/** What taking one eviction from a PDB's own counter comes to. */
export type CounterStep =
  | { readonly kind: 'refused'; readonly why: string }
  /** The fields of the status to write, if it is still the version that was read. */
  | { readonly kind: 'write'; readonly status: CounterFields; readonly renewed: boolean };

export interface CounterFields {
  readonly disruptionsAllowed: number;
  readonly disruptedPods: Readonly<Record<string, string>>;
}

/** As many as Kubernetes' own check lets a status hold before it refuses. */
const maxDisruptedPods = 2_000;

/**
 * Takes one eviction from the counter that Kubernetes' own check takes from, by the same rules: the number falls by one, and the
 * pod is noted, so that the disruption controller does not count it until it sees the pod terminating, or for two minutes. A pod
 * that is noted already is not taken again: the number leaves it out for as long as the note is there. Only the time is renewed.
 * @param time when, by the API server's clock, to the second
 */
export function takeFromCounter({ metadata, status }: PodDisruptionBudget, pod: string, time: string): CounterStep {
  const { disruptionsAllowed = 0, disruptedPods = {}, observedGeneration = 0 } = status ?? {};
  if (Object.hasOwn(disruptedPods, pod)) {
    return { kind: 'write', status: { disruptionsAllowed, disruptedPods: { [pod]: time } }, renewed: true };
  }
  const generation = metadata.generation ?? 0;
  if (observedGeneration < generation) {
    return { kind: 'refused', why: `it is at generation ${generation}, and ${observedGeneration} was counted` };
  }
  if (disruptionsAllowed <= 0)
    return { kind: 'refused', why: `its status allows ${counted(disruptionsAllowed, 'disruption')}` };
  const noted = Object.keys(disruptedPods).length;
  if (noted > maxDisruptedPods)
    return {
      kind: 'refused',
      why: `its status lists ${counted(noted, 'eviction')} that ${agree(noted, 'has', 'have')} not happened yet`,
    };
  const left = { disruptionsAllowed: disruptionsAllowed - 1, disruptedPods: { [pod]: time } };
  return { kind: 'write', status: left, renewed: false };
}
