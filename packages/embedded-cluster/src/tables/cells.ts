import type { Cells } from '../kinds/builtin-types.ts';
import type { ResourceKey } from '../objects.ts';
import { autoscalerCells } from './autoscaler-cells.ts';
import { batchCells } from './batch-cells.ts';
import { componentCells } from './component-cells.ts';
import { controlPlaneCells } from './control-plane-cells.ts';
import { deviceCells } from './device-cells.ts';
import { eventCells } from './event-cells.ts';
import { networkCells } from './network-cells.ts';
import { nodeCells } from './node-cells.ts';
import { plainCells } from './plain-cells.ts';
import { podCells } from './pod-cells.ts';
import { storageCells } from './storage-cells.ts';
import { workloadCells } from './workload-cells.ts';

/**
 * What `kubectl get` shows of every built-in kind: one value for each recorded column, those of `-o wide` included.
 * Objects come in the version that they are stored in.
 */
export const builtinCells: ReadonlyMap<ResourceKey, Cells> = new Map([
  ['pods', podCells],
  ['nodes', nodeCells],
  ['componentstatuses', componentCells],
  ['events', eventCells],
  ['autoscaling/horizontalpodautoscalers', autoscalerCells],
  ...workloadCells,
  ...batchCells,
  ...networkCells,
  ...storageCells,
  ...plainCells,
  ...controlPlaneCells,
  ...deviceCells,
]);
