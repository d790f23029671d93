/**
 * The front door: start a cluster, load it, stop it. What else other packages use is in two smaller doors, which load little: `doors/objects.ts`
 * and `doors/time.ts`.
 */

export { adminUser, removeKubeconfig, writeKubeconfig } from './auth/kubeconfig.ts';
export { systemUser, type User } from './auth/user.ts';
export { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
export type { ControlPlane } from './control-plane.ts';
export type { Pace } from './controllers/all.ts';
export { lwsCrd } from './controllers/leaderworkerset/lws-crd.ts';
export { type OpenedData, openDataDirectory } from './data-directory.ts';
export { isApiError } from './errors.ts';
export { type InProcessCluster, startInProcessCluster } from './in-process-cluster.ts';
export { createResourceTypes } from './kinds/resource-types.ts';
export { addNodes } from './load/add-nodes.ts';
export { applyObject } from './load/apply-object.ts';
export type { LoadReport } from './load/load-report.ts';
export { definitionsServed, loadSnapshot } from './load/load-snapshot.ts';
export { createNodes } from './nodes/create-nodes.ts';
export { defaultStopDelayMs } from './nodes/nodes.ts';
export type { Recovered } from './store/durable/durable-store.ts';
export { contentsOf, type StoreContents } from './store/memory-store.ts';
export type { StoreEvent } from './store/store.ts';
export type { View } from './view.ts';
