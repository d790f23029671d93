import { compareStrings } from '../../../core/compare.ts';
import { planDrain } from '../../../core/plan/plan-drain.ts';
import type { DrainPlan } from '../../../core/plan/plan-result.ts';
import { Interrupted, Problem } from '../../../observe/problem.ts';
import type { ReadSession } from '../../../observe/session.ts';
import type { WhatIfRequest, WhatIfResult } from '../../../ui/what-if.ts';
import { commandLine } from '../../command-line.ts';
import { type LoadedObject, objectsIn } from '../../load-objects.ts';
import { checkNodes, fromCluster, fromObjects, nodeNames, type PlanSnapshot } from '../../plan/plan-snapshot.ts';
import { pageOf } from '../../simulate/html/page.ts';
import { runScenarioRequest } from '../../simulate/run-scenario-request.ts';
import type { ScenarioRequest } from '../../simulate/scenario.ts';
import type { SimulationResult } from '../../simulate/simulation-result.ts';
import { readSnapshot } from '../../simulate/snapshot/from-cluster.ts';
import { overlay } from '../../simulate/snapshot/overlay.ts';
import { comparisonRows, type RunComparison } from '../../simulate/texts/compare-text.ts';
import { momentText } from '../../simulate/texts/times.ts';
import { productVersion } from '../../version.ts';
import { planShape, runShape } from './describe-run.ts';
import { nodeShareOf } from './parse-request.ts';

export interface RequestTerms {
  readonly session: ReadSession;
  readonly within: string | undefined;
  readonly operatorNamespace: string | undefined;
  /** Words of a command line that name the cluster. */
  readonly access: readonly string[];
  readonly signal: AbortSignal;
  /** What it is doing, for people. */
  readonly step: (text: string) => void;
}

/** Without the address of the page, which depends on the job. */
export interface Answered {
  readonly result: Omit<WhatIfResult, 'html'>;
  readonly html: string;
}

/** As `holdfast simulate` has them. */
const defaults = { nodeMs: 180_000, limitMs: 86_400_000, seed: 1 };
/** A process that also serves pages simulates no larger cluster. */
const maxPods = 20_000;

/** The same in a terminal. */
export function commandsFor(request: WhatIfRequest, access: readonly string[]): readonly string[] {
  const { what, changes, nodeSeconds, seed } = request;
  const nodes = 'nodes' in what ? what.nodes : undefined;
  const time = nodeSeconds === undefined ? [] : ['--node-time', `${nodeSeconds}s`];
  const words = {
    drain: () => ['drain', ...(nodes ?? [])],
    zone: () => ['zone', what.kind === 'zone' ? what.zone : ''],
    upgrade: () => ['upgrade', ...shareWords(what), ...time],
    plan: () => ['plan', ...(nodes === undefined ? [] : ['plan.json']), ...time],
  }[what.kind]();
  const simulate = [
    ...['simulate', '--from-cluster', ...access],
    ...(changes === undefined ? [] : ['--with', 'changes.yaml']),
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
    ...['--', ...words],
  ];
  const chosen = what.kind === 'zone' ? ['-l', `topology.kubernetes.io/zone=${what.zone}`] : (nodes ?? ['--all']);
  const file = what.kind === 'plan' && nodes !== undefined ? ' -o json > plan.json' : '';
  return [`${commandLine(['plan', ...chosen, ...access])}${file}`, commandLine(simulate)];
}

function shareWords(what: WhatIfRequest['what']): readonly string[] {
  return what.kind === 'upgrade' && what.maxUnavailable !== undefined ? ['--max-unavailable', what.maxUnavailable] : [];
}

/** Plans and simulates what was asked for, from a fresh snapshot. Nothing is written anywhere. */
export async function runRequest(request: WhatIfRequest, terms: RequestTerms): Promise<Answered> {
  const { session, within, step, access } = terms;
  step('reading the cluster');
  const { objects, warnings } = await readSnapshot(session, within);
  checkSize(objects);
  const around = within === undefined ? await fromCluster(session, terms.operatorNamespace) : fromObjects(objects);
  step('planning');
  const plan = planOf(request, around);
  const scenario = scenarioRequestOf(request, plan);
  const asItIs = await simulated('simulating', objects, scenario, request, terms);
  const compared =
    request.changes === undefined ? undefined : await changedRun(objects, scenario, request, terms, asItIs);
  const record = {
    command: commandsFor(request, access).at(-1) ?? '',
    date: `${new Date(session.clock.now()).toISOString().slice(0, 19)}Z`,
    version: productVersion,
  };
  return {
    html: pageOf(compared ?? asItIs, record),
    result: {
      plan: planShape(plan),
      asItIs: runShape(asItIs),
      ...(compared === undefined ? {} : comparisonShape(compared)),
      warnings: [...new Set([...warnings, ...around.warnings])],
    },
  };
}

function checkSize(objects: readonly LoadedObject[]): void {
  const pods = objects.filter(({ kind }) => kind === 'Pod').length;
  if (pods <= maxPods) return;
  const why = `the cluster has ${pods} pods, and more than ${maxPods} are not simulated beside a page`;
  throw new Problem(why, 'Use the commands in a terminal.');
}

/** The nodes that are meant, in the plan as in the simulation. */
function planOf({ what }: WhatIfRequest, around: PlanSnapshot): DrainPlan {
  const known = nodeNames(around.world, around.nodes);
  const drain = chosenNodes(what, around, known);
  checkNodes(drain, known);
  return planDrain({ ...around, drain });
}

function chosenNodes(what: WhatIfRequest['what'], { nodes }: PlanSnapshot, known: readonly string[]) {
  if (what.kind === 'zone') {
    const inZone = nodes.filter(({ labels }) => labels['topology.kubernetes.io/zone'] === what.zone);
    return inZone.map(({ name }) => name).sort(compareStrings);
  }
  return 'nodes' in what && what.nodes !== undefined ? what.nodes : known;
}

function scenarioRequestOf({ what, nodeSeconds }: WhatIfRequest, plan: DrainPlan): ScenarioRequest {
  const order = 'groups';
  const nodeTime = nodeSeconds === undefined ? defaults.nodeMs : nodeSeconds * 1_000;
  switch (what.kind) {
    case 'drain':
      return { kind: 'drain', nodes: what.nodes, order };
    case 'zone':
      return { kind: 'zone', zone: what.zone, order };
    case 'upgrade':
      return { kind: 'upgrade', maxUnavailable: nodeShareOf(what.maxUnavailable ?? '1'), nodeTime, order };
    case 'plan': {
      // All nodes: as `simulate -- plan` makes its own.
      if (what.nodes === undefined) return { kind: 'plan', nodeTime, order };
      if (plan.waves.length === 0)
        throw new Problem('none of these nodes can be drained, so there is no plan to simulate');
      return { kind: 'plan', waves: plan.waves.map(({ nodes }) => nodes.map(({ name }) => name)), nodeTime, order };
    }
  }
}

function simulated(
  title: string,
  objects: readonly LoadedObject[],
  scenario: ScenarioRequest,
  { seed = defaults.seed }: WhatIfRequest,
  { signal, step }: RequestTerms,
): Promise<SimulationResult> {
  step(title);
  return runScenarioRequest(objects, scenario, {
    seed,
    limitMs: defaults.limitMs,
    podStartMs: undefined,
    podStopMs: undefined,
    progress(elapsedMs) {
      if (signal.aborted) throw new Interrupted('the server stops');
      step(`${title}: ${momentText(elapsedMs)}`);
    },
    report: () => undefined,
  });
}

async function changedRun(
  objects: readonly LoadedObject[],
  scenario: ScenarioRequest,
  request: WhatIfRequest,
  terms: RequestTerms,
  asItIs: SimulationResult,
): Promise<RunComparison> {
  const changes = objectsIn(request.changes ?? '', 'changes').map(({ object }) => object);
  if (changes.length === 0) throw new Problem('changes: there is no object in it');
  const other = overlay(objects, changes);
  const changed = await simulated('simulating with the changes', other.objects, scenario, request, terms);
  const named = [...other.changed.map((name) => `${name} changed`), ...other.added.map((name) => `${name} added`)];
  return { asItIs, changed, changes: named };
}

function comparisonShape(comparison: RunComparison): Pick<WhatIfResult, 'changed' | 'comparison'> {
  const { changed, changes } = comparison;
  return { changed: runShape(changed), comparison: { changes, rows: comparisonRows(comparison) } };
}
