import { adminUser } from '../../packages/embedded-cluster/src/auth/kubeconfig.ts';
import { Actors } from './actors.ts';
import { act, drawPlot, drawWeather, podsOf, type Story } from './happenings.ts';
import { openGates, ProbeAgents } from './helpers.ts';
import { finish, pause } from './last-questions.ts';
import { calm } from './network.ts';
import { namespace } from './objects.ts';
import { seen } from './seen-pod.ts';
import { register, type Stack } from './stack.ts';
import { isReady } from './words.ts';

/** How long things happen at most. */
const busyMs = 150_000;

/** The story from its beginning to the last question: whether what may go can go. */
export async function play(story: Story): Promise<void> {
  const { stack, random, tell } = story;
  const agents = new ProbeAgents(stack);
  await begin(story, agents);
  const actors = new Actors(stack.client, random, tell);
  stack.network.weather = drawWeather(random);
  const plot = drawPlot(random);
  const calls: Promise<unknown>[] = [];
  const end = stack.clock.now() + busyMs;
  for (let count = 0; count < plot.happenings && stack.clock.now() < end; count += 1) {
    await pause(stack, random.chance(50) ? random.below(50) : random.below(plot.pauseMs));
    calls.push(act(story, plot, actors, agents));
  }
  await recover(story, actors, agents);
  await Promise.all(calls);
  // An action that was still under way may have broken a pod after the recovery had looked at it.
  await mend(story, actors);
  await finish(story, actors);
}

async function begin({ stack, scenario, random, tell }: Story, agents: ProbeAgents): Promise<void> {
  const { plane } = stack.cluster;
  const admin = plane.clientFor(adminUser, 'simulation');
  await admin.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  openGates(stack);
  for (const object of scenario.others) await admin.create(collectionOf(object.kind), object);
  for (const { object, kind } of scenario.apps) await admin.create(collectionOf(kind), object);
  await until(
    stack,
    () => podsOf(stack).length >= scenario.apps.reduce((sum, app) => sum + app.pods, 0) && podsOf(stack).every(isReady),
  );
  if (podsOf(stack).some((one) => seen(one).probed)) agents.start();
  await register(stack);
  for (const replica of stack.replicas) replica.start();
  await until(stack, () => stack.replicas.every((one) => one.isReady));
  const actors = new Actors(stack.client, random, () => undefined);
  for (const pod of podsOf(stack)) if (random.chance(40)) await actors.label(pod.metadata.name, 'front');
  for (const budget of scenario.budgets) await admin.create(collectionOf(budget.kind), budget);
  await until(
    stack,
    () => plane.view.get('namespaces', '', namespace)?.metadata.labels?.['holdfast.dev/guard'] === 'enabled',
  );
  await pause(stack, 3_000);
  tell('everything is in place');
}

function collectionOf(kind: string): string {
  const collections: Readonly<Record<string, string>> = {
    StatefulSet: 'apps/statefulsets',
    Deployment: 'apps/deployments',
    LeaderWorkerSet: 'leaderworkerset.x-k8s.io/leaderworkersets',
    Workload: 'scheduling.k8s.io/workloads',
    PodDisruptionBudget: 'policy/poddisruptionbudgets',
    PodUnavailableBudget: 'policy.kruise.io/podunavailablebudgets',
  };
  return collections[kind] ?? kind;
}

/** Everything that was broken on purpose is mended; what the operator is left with has to resolve itself. */
async function recover({ stack, tell }: Story, actors: Actors, agents: ProbeAgents): Promise<void> {
  tell('recovery');
  stack.network.weather = calm;
  agents.recover();
  for (const replica of stack.replicas) {
    replica.resume();
    if (!replica.isAlive) replica.start();
  }
  await mend({ stack }, actors);
}

async function mend({ stack }: Pick<Story, 'stack'>, actors: Actors): Promise<void> {
  for (const pod of podsOf(stack)) {
    const { name, annotations } = pod.metadata;
    if (annotations?.['sim.holdfast.dev/ready'] !== undefined) await actors.ready(name, true);
    if (annotations?.['sim.holdfast.dev/resize'] !== undefined) await actors.room(name, true);
  }
}

const untilMs = 120_000;

async function until(stack: Stack, done: () => boolean): Promise<void> {
  const end = stack.clock.now() + untilMs;
  while (!done()) {
    if (stack.clock.now() > end) throw new Error(`not within ${untilMs} ms: ${done}`);
    await pause(stack, 100);
  }
}
