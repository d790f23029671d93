/** The one place where the page takes types from the server: what both speak. */
export { applyDelta, type UiDelta } from '../../holdfast/src/ui/delta.ts';
export type {
  AgentNote,
  ApiProblem,
  AskedNote,
  BlockerNote,
  BudgetDetail,
  CommandLine,
  NodeDetail,
  NodeDetailPod,
  PodBudget,
  PodDetail,
  PodProbe,
  ReservationNote,
  UnitEffect,
} from '../../holdfast/src/ui/details.ts';
export type {
  BudgetBar,
  DataState,
  DotState,
  DrainPod,
  DrainProgress,
  GapNote,
  GroupRow,
  LaneKind,
  NodeState,
  NodeTile,
  PodDot,
  ProbeAnswer,
  RefusalRow,
  TimelineLane,
  UiHead,
  UiModel,
} from '../../holdfast/src/ui/model.ts';
export type {
  WhatIfJob,
  WhatIfPlan,
  WhatIfRequest,
  WhatIfResult,
  WhatIfRun,
  WhatIfWave,
} from '../../holdfast/src/ui/what-if.ts';
