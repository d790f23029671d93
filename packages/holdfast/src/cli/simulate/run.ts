import { defaultStopDelayMs } from '@holdfast/embedded-cluster';
import type { KubeObject } from '@holdfast/embedded-cluster/objects';
import { untilIdle, VirtualClock } from '@holdfast/embedded-cluster/time';
import { Problem } from '../../observe/problem.ts';
import type { LoadedObject } from '../load-objects.ts';
import { Drainer } from './drainer.ts';
import { type Driven, drive } from './drive.ts';
import { play } from './play.ts';
import { Observer } from './records/observer.ts';
import { outagesOf } from './records/outages.ts';
import type { NodeResult, Scenario, SimulationResult } from './simulation-result.ts';
import type { Snapshot } from './snapshot/complete.ts';
import { controllerKeyOf } from './snapshot/start-times.ts';
import { openStage, type Stage } from './stage.ts';

export interface RunOptions {
  readonly seed: number;
  /** Virtual. */
  readonly limitMs: number;
  /** Undefined: as the simulated kubelet does. */
  readonly podStopMs: number | undefined;
  readonly order: 'groups' | 'all';
  /** How far it is: virtual milliseconds since it began, and pods that are gone. */
  readonly progress?: (elapsedMs: number) => void;
  /** Mistakes of ours. */
  readonly report: (problem: string) => void;
}

/** Everything in the cluster that waits, waits less: the longest is a container that crashes again and again, five minutes. */
const standstillMs = 15 * 60_000;
/** For a cluster to come to rest before anything is asked of it. */
const settlingMs = 2 * 3_600_000;
/** A Job waits ten seconds before it replaces a pod; all others replace theirs at once. */
const quietMs = 30_000;

/** Runs a snapshot and what is asked of it in virtual time. The same arguments give the same result. */
export async function simulate(
  snapshot: Snapshot,
  choose: (nodes: readonly KubeObject[]) => Scenario,
  options: RunOptions,
): Promise<SimulationResult> {
  const clock = new VirtualClock(snapshot.takenAt, untilIdle);
  const stage = await driven(clock, openStage(stageTerms(clock, snapshot, options)));
  const observer = new Observer(stage.plane, () => clock.now());
  try {
    await driven(clock, stage.protect());
    await settleDown(clock, observer, snapshot);
    const scenario = choose(stage.plane.view.list('nodes'));
    return await playOut({ clock, stage, observer, scenario, snapshot, options });
  } finally {
    observer.close();
    await driven(clock, stage.close());
  }
}

async function driven<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  const done = await drive(clock, work, { end: clock.now() + settlingMs });
  if (done.kind === 'done') return done.value;
  throw new Problem('the simulated cluster did not come up within two hours of virtual time');
}

function stageTerms(clock: VirtualClock, { objects, vetoes, startTimes }: Snapshot, options: RunOptions) {
  const startDelayMs = (pod: KubeObject) =>
    startTimes.byOwner.get(controllerKeyOf(pod.metadata as LoadedObject['metadata']) ?? '') ?? startTimes.usualMs;
  const stopDelayMs = options.podStopMs ?? defaultStopDelayMs;
  // Nothing in a snapshot says when a Job would be done.
  const jobRunMs = Number.POSITIVE_INFINITY;
  const pace = { heartbeats: false, lifecycleEvents: false, startDelayMs, stopDelayMs, jobRunMs };
  return { clock, seed: options.seed, snapshot: objects, vetoes, pace, report: options.report };
}

/** What controllers still had to do in the snapshot, or begin because of what was changed in it, is not part of what was asked. */
async function settleDown(clock: VirtualClock, observer: Observer, snapshot: Snapshot): Promise<void> {
  const never = new Promise<never>(() => undefined);
  const enough = () => quietLeft(clock, observer, snapshot) <= 0;
  await drive(clock, never, { end: clock.now() + settlingMs, enough });
}

/** How much longer nothing must change until it is taken for quiet: longer while a pod is on its way. */
function quietLeft(clock: VirtualClock, observer: Observer, snapshot: Snapshot): number {
  const wait = observer.isMoving ? quietMs + 1.5 * longestWay(snapshot) : quietMs;
  return observer.lastProgress + wait - clock.now();
}

/** No pod starts or stops for longer than this without a visible step. */
function longestWay({ startTimes, longestStopMs }: Snapshot): number {
  return Math.max(startTimes.usualMs, longestStopMs, ...startTimes.byOwner.values());
}

interface Play {
  readonly clock: VirtualClock;
  readonly stage: Stage;
  readonly observer: Observer;
  readonly scenario: Scenario;
  readonly snapshot: Snapshot;
  readonly options: RunOptions;
}

async function playOut(terms: Play): Promise<SimulationResult> {
  const { clock, stage, observer, scenario, snapshot, options } = terms;
  const { session, random } = stage;
  const drainer = new Drainer({ session, random, observer, order: options.order });
  const back = new Map<string, number>();
  observer.begin();
  const startedAt = clock.now();
  const patience = standstillMs + ('nodeMs' in scenario ? scenario.nodeMs : 0) + longestWay(snapshot);
  const work = play(scenario, drainer, session, (node) => back.set(node, clock.now() - startedAt));
  const end = await drive(
    clock,
    work.then(() => untilQuiet(terms)),
    {
      end: startedAt + options.limitMs,
      atRest: () => {
        observer.atRest();
        options.progress?.(clock.now() - startedAt);
      },
      enough: () => clock.now() - observer.lastProgress > patience,
    },
  );
  observer.atRest();
  const durationMs = end.kind === 'done' ? lastEvent(observer) : Math.round(clock.now() - startedAt);
  const budgets = observer.budgets();
  const groups = observer.groups();
  return {
    scenario,
    assumptions: assumptionsOf(snapshot, options),
    notes: [...snapshot.notes, ...loadNotes(stage), ...pendingNotes(observer), ...drainer.notes],
    end: endOf(end, clock.now() - startedAt >= options.limitMs),
    durationMs,
    lastChangeMs: Math.round(observer.lastProgress - startedAt),
    nodes: scenario.nodes.map((name) => nodeResult(name, terms, drainer, startedAt, back)),
    budgets,
    groups,
    outages: outagesOf({ budgets, groups, durationMs }),
    unfinished: drainer.unfinished(),
    pending: observer.pending(),
    violations: observer.violations,
    timeline: observer.timeline,
  };
}

/** Drained is not yet recovered: it is over when what was evicted serves again. */
async function untilQuiet({ clock, observer, snapshot }: Play): Promise<void> {
  for (;;) {
    const left = quietLeft(clock, observer, snapshot);
    if (left <= 0) return;
    await new Promise<void>((resolve) => clock.after(left, resolve));
  }
}

function endOf(end: Driven<unknown>, isLate: boolean): SimulationResult['end'] {
  if (end.kind === 'done') return 'finished';
  return isLate ? 'limit' : 'standstill';
}

function lastEvent({ timeline }: Observer): number {
  return timeline.at(-1)?.at ?? 0;
}

function pendingNotes({ pendingBefore: count }: Observer): readonly string[] {
  if (count === 0) return [];
  return [
    `${count} ${count === 1 ? 'pod' : 'pods'} had no place before it began, and ${count === 1 ? 'is' : 'are'} not counted`,
  ];
}

function loadNotes({ loaded }: Stage): readonly string[] {
  const left = (loaded?.notLoaded ?? []).filter((text) => !text.endsWith('is there already'));
  return [...left.map((text) => `left out: ${text}`), ...(loaded?.notes ?? [])];
}

function assumptionsOf({ startTimes }: Snapshot, options: RunOptions): SimulationResult['assumptions'] {
  return {
    seed: options.seed,
    podStartMs: startTimes.usualMs,
    podStartSource: startTimes.source,
    owners: startTimes.byOwner.size,
    podStopMs: options.podStopMs ?? defaultStopDelayMs,
    limitMs: options.limitMs,
  };
}

function nodeResult(
  name: string,
  { stage, observer }: Play,
  drainer: Drainer,
  startedAt: number,
  backAt: ReadonlyMap<string, number>,
): NodeResult {
  const seen = drainer.begunAt(name);
  const zone = stage.plane.view.get('nodes', '', name)?.metadata.labels?.['topology.kubernetes.io/zone'];
  const back = backAt.get(name);
  const evicted = observer.timeline.filter((event) => event.kind === 'evicted' && event.pod.node === name).length;
  return {
    name,
    ...(zone === undefined ? {} : { zone }),
    ...(seen === undefined ? {} : { begun: seen.begun - startedAt }),
    ...(seen?.drained === undefined ? {} : { drained: seen.drained - startedAt }),
    ...(back === undefined ? {} : { back }),
    evicted,
  };
}
