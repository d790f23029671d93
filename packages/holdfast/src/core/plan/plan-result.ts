import type { BlockedPod, PodKey } from '../drain/simulate.ts';
import type { BudgetRef } from '../verdict.ts';

export interface DrainPlan {
  /** Wave n begins when the pods of the wave before are back and healthy, and their nodes, too, unless they go for good. */
  readonly waves: readonly PlannedWave[];
  /** Nodes that cannot be drained as things are, and why. */
  readonly never: readonly StuckNode[];
  readonly lowerBound: LowerBound;
  /** What each way to plan came to, best first. */
  readonly compared: readonly { readonly strategy: StrategyName; readonly waves: number; readonly drained: number }[];
  /** `notLookedAt`: nothing is known of the nodes, so replacements are taken to find room. */
  readonly room: 'lookedAt' | 'notLookedAt';
  /** An estimate: all waves, without the time that the maintenance of the nodes itself takes. */
  readonly seconds: number;
}

export type StrategyName =
  | 'one node at a time'
  | 'first fit'
  | 'scarcest first'
  | 'group by group'
  | 'emptiest first'
  | 'search';

export interface PlannedWave {
  readonly nodes: readonly PlannedNode[];
  /** Pods of round 1 can go at once, in this order; those of round n when the ones before are back. */
  readonly rounds: readonly (readonly PodKey[])[];
  readonly budgets: readonly BudgetUse[];
  /** An estimate: the longest grace period of each round, and the time to start up. */
  readonly seconds: number;
}

export interface PlannedNode {
  readonly name: string;
  readonly pods: number;
  /** It takes as many rounds as it would take alone: nodes of a wave do not wait for one another. */
  readonly rounds: number;
  /** Its replacement has to be there before it is drained. */
  readonly surge: boolean;
  /** Groups with pods on it that are down in this wave, as namespace/group. */
  readonly groups: readonly string[];
}

/** What a wave asks of a budget. */
export interface BudgetUse {
  readonly budget: BudgetRef;
  readonly unitKind: 'pod' | 'group';
  /** Units that are down for a while, each once for every round that breaks it. */
  readonly broken: readonly string[];
  /** In the round that leaves the fewest. */
  readonly available: number;
  readonly desired: number;
  /** Not one more unit could go. */
  readonly atLimit: boolean;
}

export type StuckNode =
  | { readonly node: string; readonly why: 'refused'; readonly pods: readonly BlockedPod[] }
  | { readonly node: string; readonly why: 'noController'; readonly pods: readonly PodKey[] }
  | { readonly node: string; readonly why: 'noRoom'; readonly pod: PodKey };

/** No plan has fewer waves, for this reason. */
export type LowerBound =
  | { readonly waves: number; readonly why: 'nothingToDrain' | 'oneIsNeeded' }
  | {
      readonly waves: number;
      readonly why: 'budget';
      readonly budget: BudgetRef;
      readonly unitKind: 'pod' | 'group';
      /** So many units have to go down, and so many may at once. */
      readonly units: number;
      readonly allowed: number;
      /** Of the slowest node; a wave with it has as many, and each of them lets so many units go. */
      readonly rounds: number;
    }
  | {
      readonly waves: number;
      readonly why: 'room';
      readonly resource: string;
      /** So much has to be emptied, and so much is free, counting what surge adds. */
      readonly needed: number;
      readonly free: number;
    }
  /** All other ways to share the nodes out were tried. */
  | { readonly waves: number; readonly why: 'search'; readonly tried: number }
  /** The first wave cannot have all nodes. More is not proven: pods may move to nodes that are drained later. */
  | { readonly waves: 2; readonly why: 'firstWave'; readonly because: LowerBound };
