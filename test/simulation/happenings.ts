import type { KubeObject } from '../../src/cluster/objects.ts';
import type { Random } from '../core/ledger-model/random.ts';
import type { Actors } from './actors.ts';
import { calm, type Weather } from './network.ts';
import type { Replica } from './replica.ts';
import { type App, namespace, type Scenario } from './scenario.ts';
import type { Stack } from './stack.ts';

/** What a schedule is made of. */
export interface Story {
  readonly stack: Stack;
  readonly scenario: Scenario;
  readonly random: Random;
  readonly tell: (line: string) => void;
}

const weathers: readonly Weather[] = [
  calm,
  { shortPercent: 30, shortMs: 40, longPercent: 0, longMs: 0 },
  { shortPercent: 30, shortMs: 300, longPercent: 2, longMs: 3_000 },
  { shortPercent: 10, shortMs: 100, longPercent: 6, longMs: 8_000 },
];

export function drawWeather(random: Random): Weather {
  return random.pick(weathers) ?? calm;
}

export function podsOf({ cluster }: Stack): readonly KubeObject[] {
  return cluster.plane.view.list<KubeObject>('pods', namespace);
}

/** One thing that happens. */
export async function act({ stack, scenario, random, tell }: Story, actors: Actors, app: App): Promise<unknown> {
  const pod = random.pick(podsOf(stack))?.metadata.name;
  const replica = random.pick(stack.replicas);
  const draw = random.below(100);
  if (draw < 4) {
    stack.network.weather = drawWeather(random);
    return tell(`weather: ${JSON.stringify(stack.network.weather)}`);
  }
  if (draw < 22 && replica !== undefined) return disturb(stack, random, tell, replica, draw);
  if (draw < 30) {
    const budget = random.pick(scenario.budgets);
    if (budget === undefined) return;
    const kind = budget.kind === 'PodDisruptionBudget' ? 'PDB' : 'PUB';
    const limit =
      budget.metadata.annotations?.['holdfast.dev/group-label'] === undefined && random.chance(70)
        ? { maxUnavailable: random.below(3) }
        : { minAvailable: random.below(app.replicas + 1) };
    return actors.limit(kind, budget.metadata.name, limit);
  }
  if (draw < 32) return actors.scale(app, random.chance(20) ? 0 : 2 + random.below(3));
  if (draw < 33) return actors.orphan(app);
  if (draw < 34) return actors.deleteLedger();
  if (pod === undefined) return;
  if (draw < 42) return actors.ready(pod, random.chance(50));
  if (draw < 47) return actors.label(pod, random.chance(50) ? 'front' : null);
  if (draw < 51) return actors.evict(pod, true);
  if (draw < 58) return actors.remove(pod);
  if (draw < 64) return twice(actors, pod);
  return actors.evict(pod);
}

/** A client whose answer was late asks again. */
function twice(actors: Actors, pod: string): Promise<unknown> {
  return Promise.all([actors.evict(pod), actors.evict(pod)]);
}

function disturb(stack: Stack, random: Random, tell: (line: string) => void, replica: Replica, draw: number): void {
  const { name } = replica;
  if (!replica.isAlive) {
    replica.start();
    tell(`${name} starts`);
  } else if (replica.isPaused) {
    replica.resume();
    tell(`${name} goes on`);
  } else if (draw < 8) {
    replica.kill();
    tell(`${name} killed`);
  } else if (draw < 12) {
    replica.pause();
    tell(`${name} stopped`);
    stack.clock.after(random.below(60_000), () => {
      if (replica.isPaused) tell(`${name} goes on`);
      replica.resume();
    });
  } else if (draw < 17)
    tell(`${name}: ${stack.network.freeze(name, () => random.chance(60))} connections die silently`);
  else tell(`${name}: ${stack.network.cut(name, () => random.chance(60))} connections cut`);
}
