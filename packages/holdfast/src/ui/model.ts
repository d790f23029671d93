/**
 * What `holdfast ui` sends to the page: plain JSON, and nothing that a browser has to ask the cluster for. Lists come sorted by
 * `key`; a key is unique in its list. Times are milliseconds since 1970 by the clock of the server, and ages are the page's to
 * compute, so that a delta is sent for what changed and not for the passing of time. Texts come from the cluster and from
 * Holdfast: they are text, never HTML.
 */

/** The whole state of the overview. `delta.ts` says how it changes. */
export interface UiModel {
  readonly head: UiHead;
  readonly nodes: readonly NodeTile[];
  readonly budgets: readonly BudgetBar[];
  /** Of blocked budgets first, and not more than fit (`head.groupsLeftOut`): the rest is in the details of each budget. */
  readonly groups: readonly GroupRow[];
  readonly drains: readonly DrainProgress[];
  /** The last hour, oldest first in each lane. */
  readonly lanes: readonly TimelineLane[];
  /** Evictions that a budget refused lately, gathered by budget. */
  readonly refusals: readonly RefusalRow[];
}

/** Everything of which there is one. */
export interface UiHead {
  /** Counts up with every change of the model. A page that has missed one asks for the whole again. */
  readonly revision: number;
  readonly cluster: ClusterHead;
  /** `12 budgets, 1 blocks | 60 nodes: 59 can be drained now, 1 blocked | operator ok`: as `holdfast status` says it. */
  readonly summary: string;
  readonly counts: SummaryCounts;
  readonly operator: OperatorHead;
  readonly data: DataState;
  /** What the user may not read, and what follows. */
  readonly gaps: readonly GapNote[];
  /** How this may differ from what the operator says, and other sentences for people. */
  readonly remarks: readonly string[];
  /** Groups that are not in `groups`. */
  readonly groupsLeftOut: number;
  /** Since when the timeline is recorded: the page knows nothing of the time before. */
  readonly recordedSince: number;
}

export interface ClusterHead {
  /** Of the API server, without credentials: `https://127.0.0.1:7443`. */
  readonly server: string;
  /** Of the kubeconfig. */
  readonly context?: string;
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  /** Of this holdfast. */
  readonly version: string;
}

export interface SummaryCounts {
  readonly budgets: { readonly total: number; readonly blocked: number };
  readonly nodes: Readonly<Record<NodeState, number>> & { readonly total: number };
  readonly pods: number;
  readonly groups: { readonly total: number; readonly down: number };
}

export interface OperatorHead {
  readonly state: 'ok' | 'warning' | 'failed' | 'absent' | 'unknown';
  /** What `holdfast status` shows of the operator, what is wrong first. */
  readonly checks: readonly OperatorCheckRow[];
  /** Agents that ask the disruption probes of pods. Absent: no pod in view has a probe. */
  readonly agents?: { readonly fresh: number; readonly total: number };
}

export interface OperatorCheckRow {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'unknown';
  readonly detail: string;
}

/**
 * `reading`: not everything was read yet, and `waitingFor` says what. `live`: what is shown is current. `stale`: the API server was last
 * heard `since`, and everything is as it was then; the server goes on trying.
 */
export type DataState =
  | { readonly kind: 'reading'; readonly waitingFor: readonly string[] }
  | { readonly kind: 'live' }
  | { readonly kind: 'stale'; readonly since: number; readonly why: string };

export interface GapNote {
  /** Kinds, in the plural, and where. */
  readonly what: string;
  readonly why: string;
  readonly follows: string;
  /** Nothing can be judged without it: nodes are `unknown`, and budgets have no numbers to rely on. */
  readonly hidesEverything: boolean;
}

/**
 * `unknown`: not judged yet, or the user may not read what the answer depends on. `draining`: cordoned, and a drain would still evict pods
 * of it. `drained`: cordoned, and empty but for what drains leave alone.
 */
export type NodeState = 'can-go-now' | 'after-recovery' | 'blocked' | 'draining' | 'drained' | 'unknown';

export interface NodeTile {
  /** Its name. */
  readonly key: string;
  /** Empty: the node has no zone label. */
  readonly zone: string;
  readonly state: NodeState;
  /** Absent where nodes may not be read. */
  readonly ready?: boolean;
  readonly cordoned?: boolean;
  /** Pods that a drain would evict, and how many of them now, after recovery, and not as things are. */
  readonly pods: number;
  readonly now: number;
  readonly later: number;
  readonly stuck: number;
  /** Why pods cannot be evicted now: codes of docs/reference/reasons.md, and for how many pods. */
  readonly reasons: Readonly<Record<string, number>>;
}

export type BudgetKind = 'pdb' | 'pub';

export interface BudgetBar {
  /** `pdb/namespace/name`: what `/api/budgets/` takes. */
  readonly key: string;
  readonly kind: BudgetKind;
  readonly namespace: string;
  readonly name: string;
  /** What it counts. `builtin`: pods, and Kubernetes judges it itself. `invalid`: it cannot be read, and refuses everything. */
  readonly scope: 'group' | 'pod' | 'builtin' | 'invalid';
  readonly unit: 'group' | 'pod';
  readonly pods: number;
  readonly available: number;
  /** Absent where it is unknown. */
  readonly desired?: number;
  readonly expected?: number;
  /** How many units may be disrupted now; absent: unknown, and then none may. */
  readonly allowed?: number;
  /** Disruptions under way that count as gone. */
  readonly reserved: number;
  /** Units that are not available: the first few names, and how many there are. */
  readonly down: { readonly count: number; readonly names: readonly string[] };
  readonly blocked?: BlockedNote;
}

export interface BlockedNote {
  readonly code: string;
  readonly message: string;
  /** What would help, in words. */
  readonly help: string;
  /** Since when this server has seen it blocked. */
  readonly since: number;
  /** It was blocked already when this server looked for the first time, so that `since` is a lower bound. */
  readonly sinceStart: boolean;
}

export interface GroupRow {
  /** `budget key` and the name of the group. */
  readonly key: string;
  readonly budget: string;
  readonly namespace: string;
  readonly name: string;
  readonly available: boolean;
  /** How many of its pods count as up, and how many make it serve. */
  readonly healthy: number;
  readonly minimum: number;
  /** How many there should be: what `dots` has fewer of is missing, and drawn as an outline. */
  readonly size: number;
  readonly missing: number;
  readonly dots: readonly PodDot[];
  /** Dots that were left out, of very large groups. */
  readonly dotsLeftOut: number;
  /** Absent: no pod of it has a disruption probe. */
  readonly probe?: GroupProbe;
}

export type DotState = 'up' | 'down' | 'terminating' | 'reserved';

export interface PodDot {
  readonly name: string;
  readonly node?: string;
  readonly state: DotState;
  /** Why it does not count as up. */
  readonly why?: string;
  readonly probe?: ProbeAnswer;
}

/** `unconfirmed`: the last answer was yes, and no agent confirms it now. `pending`: it was not probed yet. */
export type ProbeAnswer = 'yes' | 'no' | 'unconfirmed' | 'pending' | 'invalid';

export interface GroupProbe {
  readonly yes: number;
  readonly no: number;
  readonly unconfirmed: number;
  /** When the agent that was heard last of all its agents confirmed its answers, to ten seconds. Absent: none is believed. */
  readonly confirmedAt?: number;
}

/** A drain as it happens, by whatever client: a node is cordoned, and its pods leave it. */
export interface DrainProgress {
  /** The node. */
  readonly key: string;
  readonly state: 'draining' | 'drained';
  /** When this server first saw it cordoned. */
  readonly since: number;
  /** It was cordoned already when this server looked for the first time. */
  readonly sinceStart: boolean;
  /** Pods that left it since, and pods that are left. */
  readonly evicted: number;
  readonly left: number;
  readonly lastEvictionAt?: number;
  readonly drainedAt?: number;
  /** Pods that are left, those that wait first; `podsLeftOut` says how many more there are. */
  readonly pods: readonly DrainPod[];
  readonly podsLeftOut: number;
}

export interface DrainPod {
  readonly namespace: string;
  readonly name: string;
  /** `leaving`: it is being deleted, or a disruption of it was allowed. `ready`: it can be evicted now. `waits`: after recovery. */
  readonly state: 'leaving' | 'ready' | 'waits' | 'blocked';
  /** What it waits for, and since when this server has seen it wait. */
  readonly why?: string;
  readonly code?: string;
  readonly budget?: string;
  readonly since?: number;
}

export type LaneKind = 'unitDown' | 'budgetAtLimit' | 'nodeDraining';

export interface TimelineLane {
  /** `unitDown/…`, `budgetAtLimit/…`, `nodeDraining/…`. */
  readonly key: string;
  readonly kind: LaneKind;
  /** `group shop/llm-0`, `pdb/shop/llm`, `node-3`. */
  readonly title: string;
  readonly spans: readonly TimelineSpan[];
}

export interface TimelineSpan {
  readonly from: number;
  /** Absent: it lasts. */
  readonly to?: number;
  /** It had begun before this server looked. */
  readonly fromStart?: true;
}

export interface RefusalRow {
  /** The key of a budget, or `-` for refusals without one. */
  readonly key: string;
  readonly count: number;
  readonly first: number;
  readonly last: number;
  /** The newest sentence, and the pod that it is about. */
  readonly message: string;
  readonly namespace: string;
  readonly pod: string;
}
