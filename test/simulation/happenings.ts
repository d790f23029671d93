import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import type { Random } from '../../packages/holdfast/test/core/ledger-model/random.ts';
import type { Actors } from './actors.ts';
import { hasGate, type ProbeAgents } from './helpers.ts';
import { calm, type Weather } from './network.ts';
import { namespace } from './objects.ts';
import type { Replica } from './replica.ts';
import type { App, Scenario } from './scenario.ts';
import { seen } from './seen-pod.ts';
import type { Stack } from './stack.ts';

/** What a schedule is made of. */
export interface Story {
  readonly stack: Stack;
  readonly scenario: Scenario;
  readonly random: Random;
  readonly tell: (line: string) => void;
}

/** What one story is mostly about. */
export interface Plot {
  /** By the index of a happening, how much more often it happens than in other stories; 0: never. */
  readonly emphases: readonly number[];
  /** The longest pause between two happenings. */
  readonly pauseMs: number;
  /** How many things happen at most. */
  readonly happenings: number;
}

/** One moment of it: who can do something, and to what. */
interface Moment extends Story {
  readonly actors: Actors;
  readonly agents: ProbeAgents;
  readonly app: App;
  readonly pod: KubeObject;
  readonly replica: Replica;
}

const weathers: readonly Weather[] = [
  calm,
  { shortPercent: 30, shortMs: 40, longPercent: 0, longMs: 0 },
  { shortPercent: 30, shortMs: 300, longPercent: 2, longMs: 3_000 },
  { shortPercent: 10, shortMs: 100, longPercent: 6, longMs: 8_000 },
  { shortPercent: 30, shortMs: 200, longPercent: 20, longMs: 2_000 },
];

export function drawWeather(random: Random): Weather {
  return random.pick(weathers) ?? calm;
}

export function podsOf({ cluster }: Stack): readonly KubeObject[] {
  return cluster.plane.view.list<KubeObject>('pods', namespace);
}

interface Happening {
  /** How often it happens, beside the others. */
  readonly weight: number;
  readonly happens: (moment: Moment) => unknown;
  /** Absent: it can always happen. */
  readonly fits?: (moment: Moment) => boolean;
}

const happenings: readonly Happening[] = [
  { weight: 35, happens: ({ actors, pod }) => actors.evict(pod.metadata.name) },
  { weight: 9, happens: insist },
  { weight: 6, happens: drain },
  { weight: 4, happens: ({ actors, pod }) => actors.evict(pod.metadata.name, true) },
  { weight: 8, happens: ({ actors, pod }) => actors.remove(pod.metadata.name) },
  { weight: 5, happens: ({ actors, pod, random }) => actors.update(pod.metadata.name, `app:${2 + random.below(1e6)}`) },
  { weight: 4, happens: resize },
  { weight: 8, happens: updateAnnounced, fits: ({ pod }) => hasGate(pod) },
  { weight: 2, happens: ({ actors, pod }) => actors.abandon(pod.metadata.name) },
  { weight: 8, happens: ({ actors, pod, random }) => actors.ready(pod.metadata.name, random.chance(50)) },
  {
    weight: 5,
    happens: ({ actors, pod, random }) => actors.label(pod.metadata.name, random.chance(50) ? 'front' : null),
  },
  { weight: 8, happens: setLimit },
  { weight: 3, happens: scale, fits: ({ app }) => app.fixed !== true },
  // Orphans of a group without a stated size make another group, of a size that nothing knows (G4, G5).
  { weight: 1, happens: ({ actors, app }) => actors.orphan(app), fits: ({ app }) => app.fixed !== true },
  { weight: 1, happens: ({ actors }) => actors.deleteLedger() },
  { weight: 10, happens: answerProbe, fits: ({ pod }) => seen(pod).probed },
  { weight: 3, happens: killAgent, fits: ({ pod }) => seen(pod).probed },
  { weight: 18, happens: disturb },
  { weight: 4, happens: changeWeather },
];

/**
 * A story in which everything happens now and then seldom has two rare things meet. So each story leaves some happenings out and has
 * others often: many small choices of what can happen find more than one large mixture does.
 */
const emphases = [0, 1, 1, 1, 3, 10];
const pauses = [500, 2_000, 5_000, 5_000];
/** Of one length, most of the time would go into the later parts of few stories; see ADR 0028 for what that costs. */
const lengths = [10, 20, 20, 30, 60];

export function drawPlot(random: Random): Plot {
  const drawn = happenings.map(() => random.pick(emphases) ?? 1);
  // Without evictions nothing is asked of the operator.
  return {
    emphases: drawn.with(0, 1 + random.below(3)),
    pauseMs: random.pick(pauses) ?? 5_000,
    happenings: random.pick(lengths) ?? 20,
  };
}

/** One thing that happens. */
export async function act(story: Story, plot: Plot, actors: Actors, agents: ProbeAgents): Promise<unknown> {
  const { random, stack, scenario } = story;
  const [pod, replica, app] = [random.pick(podsOf(stack)), random.pick(stack.replicas), random.pick(scenario.apps)];
  if (pod === undefined || replica === undefined || app === undefined) return undefined;
  const moment: Moment = { ...story, actors, agents, pod, replica, app };
  const fitting = happenings
    .map(({ weight, ...one }, index) => ({ ...one, weight: weight * (plot.emphases[index] ?? 1) }))
    .filter(({ fits }) => fits === undefined || fits(moment));
  let draw = random.below(fitting.reduce((sum, { weight }) => sum + weight, 0));
  for (const { weight, happens } of fitting) {
    if (draw < weight) return happens(moment);
    draw -= weight;
  }
  return undefined;
}

/** A client whose answer is late, or a refusal, asks again; sometimes without waiting for the answer. */
async function insist({ stack, actors, pod, random }: Moment): Promise<void> {
  const calls: Promise<boolean>[] = [];
  const times = 2 + random.below(4);
  for (let count = 0; count < times; count += 1) {
    const call = actors.evict(pod.metadata.name);
    calls.push(call);
    if (random.chance(50) && (await call)) break;
    await new Promise<void>((resolve) => stack.clock.after(random.below(1_500), resolve));
  }
  await Promise.all(calls);
}

/** Everything is asked for at once, by clients that do not know of each other. */
function drain({ stack, actors }: Moment): Promise<unknown> {
  return Promise.all(podsOf(stack).map(({ metadata }) => actors.evict(metadata.name)));
}

/** As Kruise does it: out of service, another image, and back into service when that runs. */
async function updateAnnounced({ stack, actors, pod, random }: Moment): Promise<void> {
  const { name } = pod.metadata;
  if (!(await actors.gate(name, false))) return;
  if (random.chance(80)) await actors.update(name, `app:${2 + random.below(1e6)}`);
  await new Promise<void>((resolve) => stack.clock.after(2_000 + random.below(8_000), resolve));
  await actors.gate(name, true);
}

/** Some nodes have no room for it yet: the kubelet defers the resize, and the old container serves on. */
async function resize({ stack, actors, pod, random }: Moment): Promise<void> {
  const { name } = pod.metadata;
  const isDeferred = random.chance(50) && (await actors.room(name, false));
  const amount = 65 + random.below(60);
  await actors.resize(name, random.chance(30) ? { cpu: `${amount}m` } : { memory: `${amount}Mi` });
  if (!isDeferred) return;
  await new Promise<void>((resolve) => stack.clock.after(random.below(40_000), resolve));
  await actors.room(name, true);
}

function setLimit({ actors, scenario, random, app }: Moment): Promise<unknown> | undefined {
  const budget = random.pick(scenario.budgets);
  if (budget === undefined) return undefined;
  const kind = budget.kind === 'PodDisruptionBudget' ? 'PDB' : 'PUB';
  const isByLabel = budget.metadata.annotations?.['holdfast.dev/group-label'] !== undefined;
  const limit =
    !isByLabel && random.chance(70)
      ? { maxUnavailable: random.below(3) }
      : { minAvailable: random.below(app.replicas + 1) };
  return actors.limit(kind, budget.metadata.name, limit);
}

function scale({ actors, app, random }: Moment): Promise<unknown> {
  return actors.scale(app, random.chance(30) ? 0 : 2 + random.below(3));
}

function answerProbe({ agents, pod, random, tell }: Moment): void {
  const willing = random.chance(40);
  tell(`the probe of ${pod.metadata.name} will say ${willing ? 'yes' : 'no'}`);
  agents.answer(pod.metadata.uid ?? '', willing);
}

function killAgent({ agents, pod, random, tell }: Moment): void {
  const node = (pod['spec'] as { readonly nodeName?: string }).nodeName;
  if (node === undefined) return;
  const ms = random.below(60_000);
  tell(`the agent of ${node} is killed for ${Math.round(ms / 1_000)} s`);
  agents.kill(node, ms);
}

function changeWeather({ stack, random, tell }: Moment): void {
  stack.network.weather = drawWeather(random);
  tell(`weather: ${JSON.stringify(stack.network.weather)}`);
}

function disturb({ stack, random, tell, replica }: Moment): void {
  const { name } = replica;
  const draw = random.below(14);
  if (!replica.isAlive) {
    replica.start();
    tell(`${name} starts`);
  } else if (replica.isPaused) {
    replica.resume();
    tell(`${name} goes on`);
  } else if (draw < 4) {
    replica.kill();
    tell(`${name} killed`);
  } else if (draw < 7) {
    replica.pause();
    tell(`${name} stopped`);
    stack.clock.after(random.below(60_000), () => {
      if (replica.isPaused) tell(`${name} goes on`);
      replica.resume();
    });
  } else if (draw < 11)
    tell(`${name}: ${stack.network.freeze(name, () => random.chance(60))} connections die silently`);
  else tell(`${name}: ${stack.network.cut(name, () => random.chance(60))} connections cut`);
}
