import type { BudgetRef } from '../../core/verdict.ts';

/** All times are virtual milliseconds from the beginning of what was asked for. */

export type Scenario =
  | { readonly kind: 'drain'; readonly nodes: readonly string[] }
  | { readonly kind: 'zone'; readonly zone: string; readonly nodes: readonly string[] }
  | {
      readonly kind: 'upgrade';
      readonly nodes: readonly string[];
      readonly maxUnavailable: number;
      readonly nodeMs: number;
    }
  | {
      readonly kind: 'plan';
      readonly nodes: readonly string[];
      readonly waves: readonly (readonly string[])[];
      readonly nodeMs: number;
    };

export interface PodPlace {
  readonly namespace: string;
  readonly name: string;
  /** Absent: nowhere yet. */
  readonly node?: string;
}

/** What happened, in the order in which it did. */
export type TimelineEvent = { readonly at: number } & (
  | { readonly kind: 'cordoned' | 'uncordoned' | 'drained'; readonly node: string }
  /** `removed`: another client deleted it, such as the controller of its group. */
  | { readonly kind: 'evicted' | 'removed' | 'ready'; readonly pod: PodPlace }
  /** The first time that a pod was refused, or could not be placed. */
  | { readonly kind: 'refused' | 'unschedulable'; readonly pod: PodPlace; readonly message: string }
  | { readonly kind: 'groupDown' | 'groupUp'; readonly namespace: string; readonly group: string }
  | {
      readonly kind: 'limitReached' | 'limitLeft';
      readonly budget: BudgetRef;
      readonly unit: 'pod' | 'group';
      readonly available: number;
      readonly desired?: number;
    }
);

/** From when to when; without an end it lasted until the end. */
export interface Span {
  readonly from: number;
  readonly to?: number;
}

export interface NodeResult {
  readonly name: string;
  readonly zone?: string;
  readonly begun?: number;
  readonly drained?: number;
  /** In an upgrade: when pods could be placed there again. */
  readonly back?: number;
  readonly evicted: number;
}

export interface BudgetResult {
  readonly budget: BudgetRef;
  readonly unit: 'pod' | 'group';
  readonly desired?: number;
  /** What was available when it began. */
  readonly available: number;
  readonly lowest: number;
  /** When nothing of it could be taken away. */
  readonly atLimit: readonly Span[];
  /** When nothing of it was available. */
  readonly none: readonly Span[];
  /** Evictions that it, or another budget of the same pods, refused. */
  readonly refusals: number;
}

/** A time in which no group of a workload served, or no pod of a budget was available. */
export interface Outage extends Span {
  readonly unit: 'pod' | 'group';
  /** Such as `shop/llm`. */
  readonly of: string;
}

export interface GroupResult {
  readonly namespace: string;
  readonly name: string;
  /** The workload or the budget that the group is one of: while all of them are down, nothing serves. */
  readonly of: string;
  /** It did not serve when the simulation began. */
  readonly startedDown?: true;
  readonly down: readonly Span[];
}

export interface Unfinished {
  readonly pod: PodPlace;
  readonly why: string;
}

/** An admitted eviction took a budget below what it needs: that must never happen. */
export interface Violation {
  readonly at: number;
  readonly budget: BudgetRef;
  readonly available: number;
  readonly desired: number;
  readonly pods: readonly string[];
}

export interface Assumptions {
  readonly seed: number;
  readonly podStartMs: number;
  readonly podStartSource: 'option' | 'snapshot' | 'default';
  /** Owners whose pods took another time in the snapshot. */
  readonly owners: number;
  readonly podStopMs: number;
  readonly limitMs: number;
}

export interface SimulationResult {
  readonly scenario: Scenario;
  readonly assumptions: Assumptions;
  /** What is not as in the cluster that the snapshot was taken from. */
  readonly notes: readonly string[];
  /** `standstill`: nothing happened any more for a long time; `limit`: time was up. */
  readonly end: 'finished' | 'standstill' | 'limit';
  /** Until everything served again; of one that did not finish, until the simulation gave up. */
  readonly durationMs: number;
  /** When something happened for the last time. */
  readonly lastChangeMs: number;
  readonly nodes: readonly NodeResult[];
  readonly budgets: readonly BudgetResult[];
  readonly groups: readonly GroupResult[];
  /** What stopped serving altogether, and when. */
  readonly outages: readonly Outage[];
  /** Pods that were not evicted until the end, and why. */
  readonly unfinished: readonly Unfinished[];
  /** Pods without a node at the end. */
  readonly pending: readonly Unfinished[];
  readonly violations: readonly Violation[];
  readonly timeline: readonly TimelineEvent[];
}

export function isFinished({ end, unfinished, pending, nodes, violations }: SimulationResult): boolean {
  const all = nodes.every(({ drained }) => drained !== undefined);
  return end === 'finished' && all && unfinished.length === 0 && pending.length === 0 && violations.length === 0;
}
