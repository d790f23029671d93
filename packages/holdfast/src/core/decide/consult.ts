import type { DisruptionRequest } from '../request.ts';
import type { World } from '../world/world.ts';
import { evaluate, type Opinion } from './evaluate.ts';
import { inOrder, type Judge, panelFor } from './judges.ts';

/** One budget over a pod, and what it says about losing it now. */
export interface Consulted {
  readonly judge: Judge;
  readonly opinion: Opinion;
  /** Kubernetes' own check evaluates this budget, and Holdfast does not. */
  readonly builtin: boolean;
}

/**
 * What every budget over a pod says, agreeing or not: `decide` stops where something outranks them, and tells of charges or of
 * refusals alone. It is for people who want to see it all, and decides nothing.
 */
export function consult(world: World, request: DisruptionRequest, now: number): readonly Consulted[] {
  world.advance(now);
  const state = world.namespace(request.namespace);
  const pod = state?.pods.get(request.pod);
  if (state === undefined || pod === undefined) return [];
  const panel = panelFor(state, pod, request);
  const builtin = panel.builtin.map((pdb): Judge => ({ kind: 'pdbPlain', pdb }));
  return inOrder([...panel.judges, ...builtin]).map((judge) => ({
    judge,
    opinion: evaluate(judge, pod),
    builtin: builtin.includes(judge),
  }));
}
