import type { ApiProblem } from './details.ts';

/** POST /api/what-if. Everything is computed in the server's process from a fresh snapshot; nothing reaches the cluster. */
export interface WhatIfRequest {
  readonly what:
    | { readonly kind: 'drain'; readonly nodes: readonly string[] }
    | { readonly kind: 'zone'; readonly zone: string }
    /** One node after the other, or so many at once: `2` or `25%`. */
    | { readonly kind: 'upgrade'; readonly maxUnavailable?: string }
    /** The waves of the plan; without nodes, for all. */
    | { readonly kind: 'plan'; readonly nodes?: readonly string[] };
  /** Objects as YAML, such as an edited budget (`BudgetDetail.manifest`): simulated a second time with them, and compared. */
  readonly changes?: string;
  /** From drained until pods can be placed there again: upgrade and plan. Default 180. */
  readonly nodeSeconds?: number;
  /** Of the random numbers. Default 1, as `holdfast simulate`. */
  readonly seed?: number;
}

/** 202 to the POST, and what GET /api/what-if/ID answers. */
export interface WhatIfJob {
  readonly id: string;
  readonly state: 'running' | 'done' | 'failed';
  /** What it is doing, for people: `reading the cluster`, `simulating: t+02:10`. */
  readonly step: string;
  readonly request: WhatIfRequest;
  /** The same in a terminal. */
  readonly commands: readonly string[];
  readonly result?: WhatIfResult;
  readonly problem?: ApiProblem;
}

export interface WhatIfResult {
  /** Path of the page to save: `/api/what-if/ID.html`. */
  readonly html: string;
  readonly plan: WhatIfPlan;
  readonly asItIs: WhatIfRun;
  /** With `changes`. */
  readonly changed?: WhatIfRun;
  /** With `changes`: what was changed or added, and one row for each measure: name, as it is, changed. */
  readonly comparison?: { readonly changes: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** What could not be read, and what follows. */
  readonly warnings: readonly string[];
}

/** As `holdfast plan` says it. */
export interface WhatIfPlan {
  readonly waves: readonly WhatIfWave[];
  readonly never: readonly { readonly node: string; readonly why: string }[];
  /** No plan has fewer waves. */
  readonly atLeast: number;
  /** An estimate, without the maintenance of the nodes itself. */
  readonly seconds: number;
}

export interface WhatIfWave {
  readonly nodes: readonly {
    readonly name: string;
    readonly pods: number;
    readonly rounds: number;
    readonly groups: readonly string[];
  }[];
  readonly budgets: readonly {
    /** Key of the budget. */
    readonly budget: string;
    readonly unit: 'pod' | 'group';
    readonly broken: readonly string[];
    readonly available: number;
    readonly desired: number;
    readonly atLimit: boolean;
  }[];
  readonly seconds: number;
}

/** As `holdfast simulate` says it. Times are virtual milliseconds from the beginning. */
export interface WhatIfRun {
  readonly finished: boolean;
  /** `Finished after 2m22s`, `Not finished: ...`. */
  readonly verdict: string;
  readonly facts: string;
  /** What stopped serving altogether: to be read first. */
  readonly alarms: readonly string[];
  readonly assumptions: string;
  readonly notes: readonly string[];
  readonly durationMs: number;
  readonly nodes: readonly {
    readonly name: string;
    readonly zone?: string;
    readonly begun?: number;
    readonly drained?: number;
    readonly back?: number;
    readonly evicted: number;
  }[];
  readonly lanes: readonly WhatIfLane[];
  readonly events: readonly { readonly at: number; readonly text: string }[];
  /** Events that were left out. */
  readonly eventsLeftOut: number;
  /** Pods that were never evicted, or have no node in the end. */
  readonly unfinished: readonly { readonly pod: string; readonly why: string }[];
}

export interface WhatIfLane {
  readonly kind: 'unitDown' | 'budgetAtLimit' | 'nodeDraining';
  readonly title: string;
  readonly spans: readonly { readonly from: number; readonly to?: number }[];
}
