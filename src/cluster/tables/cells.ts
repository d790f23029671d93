import type { KubeObject, ResourceKey } from '../objects.ts';

/** A row of `kubectl get`, one value for each recorded column. */
type Cells = (object: KubeObject, nowMs: number) => readonly unknown[];

/** By resource; what is not here shows its name and its creation time. */
export const builtinCells: ReadonlyMap<ResourceKey, Cells> = new Map();
