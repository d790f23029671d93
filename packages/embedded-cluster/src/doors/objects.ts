/** What objects look like, and what the scheduler and the simulated nodes read in them. */

export { meetsNodeRequirements } from '../controllers/daemonset/node-affinity.ts';
export { untolerated } from '../controllers/daemonset/node-taints.ts';
export { readAmounts } from '../controllers/scheduler/amounts.ts';
export { podRequests } from '../controllers/scheduler/requests.ts';
export { sim } from '../nodes/annotations.ts';
export { type KubeObject, type ResourceKey, splitApiVersion } from '../objects.ts';
export { parseLabelSelector } from '../registry/label-selector-text.ts';
