import type { BlockedNote, BudgetBar, BudgetKind, GapNote, GroupRow, NodeTile, ProbeAnswer } from './model.ts';

/** What is sent when someone asks about one node, budget or pod. The words are those of `holdfast explain`. */

interface Explained {
  /** When it was computed. */
  readonly at: number;
  /** May be disrupted now: the answer in one sentence. */
  readonly yes: boolean;
  readonly headline: string;
  /** The whole answer of `holdfast explain`, as it would be printed. */
  readonly text: string;
  /** To copy: the same answer in a terminal, and what one would do next. */
  readonly commands: readonly CommandLine[];
  /** What the user may not read, where the answer depends on it. */
  readonly gaps: readonly GapNote[];
}

export interface CommandLine {
  readonly title: string;
  readonly line: string;
}

export interface NodeDetail extends Explained {
  readonly node: NodeTile;
  readonly pods: readonly NodeDetailPod[];
  readonly agent?: AgentNote;
}

export interface NodeDetailPod {
  readonly namespace: string;
  readonly name: string;
  /** 1: now; more: when those that went before are back; absent: not as things are. */
  readonly round?: number;
  /** The unit that it costs, and whether the unit goes down. */
  readonly unit?: { readonly kind: 'pod' | 'group'; readonly name: string; readonly effect: UnitEffect };
  readonly budget?: string;
  readonly blockers: readonly BlockerNote[];
}

export type UnitEffect = 'breaks' | 'surplus' | 'down';

export interface BlockerNote {
  readonly code: string;
  readonly message: string;
  /** What would help. */
  readonly help: string;
  /** Whether waiting can help, in the words of docs/reference/reasons.md. */
  readonly outlook: string;
  /** Key of the budget that refuses. */
  readonly budget?: string;
}

export interface AgentNote {
  readonly holder: string;
  readonly state: 'fresh' | 'expired' | 'ahead';
  readonly renewedAt: number;
}

export interface BudgetDetail extends Explained {
  readonly budget: BudgetBar;
  /** `2 groups available, 1 needed, 2 expected (as the scale of the owners says); 1 may be disrupted now`. */
  readonly numbers: string;
  /** Where the expected number comes from. */
  readonly source?: string;
  /** Whether the API server asks Holdfast there. */
  readonly asked: AskedNote;
  /** All groups, those that are down first; empty where it counts pods. */
  readonly groups: readonly GroupRow[];
  /** Pods that do not count as up. */
  readonly down: readonly { readonly pod: string; readonly why: string }[];
  /** How many of its pods could be evicted now, each alone. */
  readonly evictable: number;
  readonly reasons: readonly { readonly pods: number; readonly example: string; readonly blocker: BlockerNote }[];
  readonly reservations: readonly ReservationNote[];
  /** PodDisruptionBudgets: what Kubernetes' own check goes by. It counts pods. */
  readonly kubernetes?: BuiltinNote;
  /** As YAML, to edit for a what-if. */
  readonly manifest: string;
}

export interface AskedNote {
  readonly kind: 'yes' | 'observed' | 'no' | 'unknown';
  readonly why?: string;
}

export interface ReservationNote {
  readonly pod: string;
  readonly operation: string;
  readonly since: number;
}

export interface BuiltinNote {
  readonly text: string;
  readonly allowed: number;
  readonly healthy: number;
  readonly desired: number;
  readonly expected: number;
}

export interface PodDetail extends Explained {
  readonly pod: {
    readonly namespace: string;
    readonly name: string;
    readonly node?: string;
    readonly ready: boolean;
    readonly down?: string;
  };
  /** Who has the last word. */
  readonly by: 'holdfast' | 'kubernetes';
  readonly asked: AskedNote;
  readonly holdfast: { readonly may: boolean; readonly reason: string; readonly blockers: readonly BlockerNote[] };
  /** What Kubernetes by itself would say. */
  readonly kubernetes: { readonly may: boolean; readonly text: string };
  readonly budgets: readonly PodBudget[];
  readonly owners: readonly { readonly kind: string; readonly name: string; readonly replicas?: number }[];
  readonly probe?: PodProbe;
  /** Its own, and those of others under the same budgets. */
  readonly reservations: readonly ReservationNote[];
}

export interface PodBudget {
  readonly key: string;
  readonly kind: BudgetKind;
  readonly name: string;
  readonly title: string;
  readonly numbers: string;
  /** The group in which it counts the pod, and how that group is. */
  readonly group?: string;
  readonly effect?: UnitEffect;
  readonly refusal?: BlockerNote;
}

export interface PodProbe {
  readonly answer: ProbeAnswer;
  /** Since when the pod says so, by its own condition. */
  readonly since?: number;
  readonly message?: string;
  readonly agent?: AgentNote & { readonly listsPod: boolean };
}

/** What is sent for something that does not exist, or that cannot be answered. */
export interface ApiProblem {
  /** `unauthorized`, `notFound`, `badRequest`, `tooLarge`, `busy`, `notReady`, `failed`. */
  readonly problem: string;
  readonly message: string;
  readonly advice?: string;
}

export type { BlockedNote };
