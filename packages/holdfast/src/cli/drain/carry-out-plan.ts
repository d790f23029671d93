import type { SeenNode } from '../../observe/once/nodes.ts';
import { exitCode, Problem } from '../../observe/problem.ts';
import type { FileNode, PlanFile } from '../plan/plan-file.ts';
import type { Ending } from './ending.ts';
import type { DrainSelection } from './filters.ts';

export interface WaveRange {
  /** The first wave that is carried out; 1 is the first of the plan. */
  readonly from: number;
  readonly to: number;
}

export interface PlanDeps {
  /** Undefined: the node does not exist. */
  readonly find: (name: string) => Promise<SeenNode | undefined>;
  /** Drains these nodes together; `selected` hears which pods are evicted. */
  readonly drain: (nodes: readonly SeenNode[], selected: (selection: DrainSelection) => void) => Promise<Ending>;
  readonly say: (line: string) => void;
  readonly warn: (line: string) => void;
  /** The command that continues with this wave. */
  readonly continueAt: (wave: number) => string;
}

export function rangeOf({ waves }: PlanFile, wave: number | undefined, from: number | undefined): WaveRange {
  if (wave !== undefined && from !== undefined) throw new Problem('--wave and --from-wave exclude each other');
  const first = wave ?? from ?? 1;
  if (first > waves.length) throw new Problem(`the plan has no wave ${first}`, `It has ${waves.length}.`);
  return { from: first, to: wave ?? waves.length };
}

/** Wave after wave. A wave that is not finished ends it: the next one would start from another state than the plan has. */
export async function carryOutPlan(plan: PlanFile, range: WaveRange, deps: PlanDeps): Promise<Ending> {
  if (plan.never.length > 0)
    deps.warn(`warning: the plan leaves out nodes that could not be drained: ${plan.never.join(', ')}`);
  const waves = await nodesThere(plan, range, deps);
  const out: string[] = [];
  for (const { number, nodes, planned } of waves) {
    deps.say(`Wave ${number} of ${plan.waves.length}: ${nodes.map(({ name }) => name).join(', ')}`);
    for (const { name } of planned.filter(({ surge }) => surge)) {
      deps.warn(`warning: the plan assumes that the replacement of node ${name} already exists`);
    }
    const ending = await deps.drain(nodes, (selection) => tellChanges(planned, selection, deps.warn));
    if (ending.code !== exitCode.yes) return { ...ending, err: [...ending.err, ...stopped(number, plan, deps)] };
    for (const line of ending.out) deps.say(line);
  }
  const last = waves.at(-1)?.number ?? range.to;
  if (last < plan.waves.length) out.push(`To continue with wave ${last + 1}:`, `  ${deps.continueAt(last + 1)}`);
  return { out, err: [], code: exitCode.yes };
}

interface PresentWave {
  readonly number: number;
  readonly nodes: readonly SeenNode[];
  readonly planned: readonly FileNode[];
}

/** Nodes are looked up before the first one is cordoned: a plan for another cluster changes nothing. */
async function nodesThere(
  plan: PlanFile,
  { from, to }: WaveRange,
  { find, warn }: PlanDeps,
): Promise<readonly PresentWave[]> {
  const present: PresentWave[] = [];
  for (let number = from; number <= to; number += 1) {
    const planned = plan.waves[number - 1] ?? [];
    const nodes: SeenNode[] = [];
    for (const { name } of planned) {
      const node = await find(name);
      if (node === undefined) warn(`warning: node ${name} of wave ${number} no longer exists, and is skipped`);
      else nodes.push(node);
    }
    if (nodes.length > 0) present.push({ number, nodes, planned });
  }
  if (present.length === 0) throw new Problem('none of the nodes of the plan exists', 'kubectl get nodes lists them.');
  return present;
}

function tellChanges(planned: readonly FileNode[], { evicted }: DrainSelection, warn: (line: string) => void): void {
  for (const { name, pods } of planned) {
    const now = evicted.filter(({ node }) => node === name).length;
    if (now !== pods) warn(`warning: node ${name} has ${now} pods to evict, and ${pods} in the plan`);
  }
}

function stopped(number: number, { waves }: PlanFile, { continueAt }: PlanDeps): readonly string[] {
  const later = number < waves.length ? ` Later waves were not started.` : '';
  return [`Wave ${number} of ${waves.length} is not finished.${later} To continue:`, `  ${continueAt(number)}`];
}
