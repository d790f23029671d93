import { adminUser } from '../../src/cluster/auth/kubeconfig.ts';
import type { KubeObject } from '../../src/cluster/objects.ts';
import { Actors } from './actors.ts';
import { act, drawWeather, podsOf, type Story } from './happenings.ts';
import { hasGate, openGates, ProbeAgents } from './helpers.ts';
import { mayGoNow, type Violation } from './judge.ts';
import { calm } from './network.ts';
import { namespace } from './objects.ts';
import { gateOf } from './pod-updates.ts';
import { seen } from './seen-pod.ts';
import { register, type Stack } from './stack.ts';
import { isReady, notedIn } from './words.ts';

/** How long things happen, and how many. */
const busyMs = 150_000;
const actionsAtMost = 60;
/** For everything to come to rest: longer than a reservation lasts that came to nothing (120 s, 35 s, and a restart between). */
const restMs = 420_000;
/** Long enough for controllers, views and leaders to come to rest after the last change. */
const settleMs = 20_000;
/** When nothing changes any more, what may go must go within this time. */
const tries = 12;
const tryEveryMs = 5_000;

/** The end of a story that found something. */
export class Stop extends Error {
  readonly violation: Violation;

  constructor(violation: Violation) {
    super(violation.message);
    this.violation = violation;
  }
}

/** The story from its beginning to the last question: whether what may go can go. */
export async function play(story: Story): Promise<void> {
  const { stack, random, tell } = story;
  const agents = new ProbeAgents(stack);
  await begin(story, agents);
  const actors = new Actors(stack.client, random, tell);
  stack.network.weather = drawWeather(random);
  const calls: Promise<unknown>[] = [];
  const end = stack.clock.now() + busyMs;
  for (let count = 0; count < actionsAtMost && stack.clock.now() < end; count += 1) {
    await pause(stack, random.chance(50) ? random.below(50) : random.below(5_000));
    calls.push(act(story, actors, agents));
  }
  await recover(story, actors, agents);
  await Promise.all(calls);
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
  for (const pod of podsOf(stack)) {
    const { name, annotations } = pod.metadata;
    if (annotations?.['sim.holdfast.dev/ready'] !== undefined) await actors.ready(name, true);
  }
}

/** Controllers that update in place put every pod back into service in the end. */
async function openClosedGates(stack: Stack, actors: Actors): Promise<void> {
  const closed = podsOf(stack).filter((pod) => hasGate(pod) && gateOf(pod) === 'False');
  for (const pod of closed) await actors.gate(pod.metadata.name, true);
}

/** Nothing is held for ever, and what may go can go. */
async function finish({ stack, tell }: Story, actors: Actors): Promise<void> {
  const end = stack.clock.now() + restMs;
  await openClosedGates(stack, actors);
  do await pause(stack, settleMs);
  while (stack.clock.now() < end && !isAtRest(stack));
  const left = reservationsOf(stack);
  if (left.length > 0) {
    throw new Stop({
      clause: 'I9',
      at: stack.clock.now(),
      message: `still reserved ${restMs / 1000} s after the last request: ${left.join(', ')}`,
    });
  }
  const pod = podsOf(stack).find((one) => isReady(one) && mayGoNow(stack.history, one, 'EVICT'));
  if (pod === undefined) return;
  tell(`${pod.metadata.name} may go`);
  const refused = podsOf(stack).find((one) => !mayGoNow(stack.history, one, 'EVICT'));
  for (let count = 0; count < tries; count += 1) {
    // Who asks for a pod that may not go does not keep others from going.
    if (refused !== undefined) await actors.evict(refused.metadata.name);
    if (await actors.evict(pod.metadata.name)) return;
    if (
      stack.history.get('pods', `${namespace}/${pod.metadata.name}`, stack.history.seq)?.metadata.uid !==
      pod.metadata.uid
    )
      return;
    await pause(stack, tryEveryMs);
  }
  throw new Stop({
    clause: 'liveness',
    at: stack.clock.now(),
    message: `${pod.metadata.name} may go, and was refused for ${(tries * tryEveryMs) / 1000} s`,
  });
}

/** Pods that a PDB's status notes as evicted count as gone (P3) until the disruption controller drops the note, after two minutes. */
function isAtRest(stack: Stack): boolean {
  const budgets = stack.cluster.plane.view.list<KubeObject>('policy/poddisruptionbudgets', namespace);
  const isNoted = budgets.some((one) => notedIn(one).length > 0);
  return !isNoted && reservationsOf(stack).length === 0 && podsOf(stack).every(isReady);
}

function reservationsOf(stack: Stack): readonly string[] {
  const ledger = stack.history.get('holdfast.dev/disruptionledgers', `${namespace}/default`, stack.history.seq);
  const spec = ledger?.['spec'] as { readonly reservations?: readonly { readonly pod: string }[] } | undefined;
  return (spec?.reservations ?? []).map(({ pod }) => pod);
}

function pause({ clock }: Stack, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

const untilMs = 120_000;

async function until(stack: Stack, done: () => boolean): Promise<void> {
  const end = stack.clock.now() + untilMs;
  while (!done()) {
    if (stack.clock.now() > end) throw new Error(`not within ${untilMs} ms: ${done}`);
    await pause(stack, 100);
  }
}
