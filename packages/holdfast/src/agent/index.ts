/** The door of the agent: start it, with its settings; for simulations, run it with probes of their own. */

export { type AgentEdges, type RunningAgent, runAgent, startAgent } from './agent.ts';
export type { ProbePermits } from './permits.ts';
export { probeFailed, probeSucceeded } from './probes/probe-result.ts';
export type { Prober } from './probes/prober.ts';
export {
  type AgentSettings,
  defaultLeaseSeconds,
  defaultMaxProbes,
  minLeaseSeconds,
} from './settings.ts';
