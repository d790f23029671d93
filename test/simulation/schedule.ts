import { drive } from '../../src/cli/simulate/drive.ts';
import { adminUser } from '../../src/cluster/auth/kubeconfig.ts';
import { Random } from '../core/ledger-model/random.ts';
import { Actors } from './actors.ts';
import { act, drawWeather, podsOf, type Story } from './happenings.ts';
import { judgeDisruption, mayGoNow, type Violation } from './judge.ts';
import { checkLedger, LedgerRecord } from './ledger-rules.ts';
import { calm } from './network.ts';
import { type App, drawScenario, namespace } from './scenario.ts';
import { openStack, register, type Stack } from './stack.ts';
import { isReady, ledgerText, stateOf } from './words.ts';

export interface ScheduleResult {
  readonly seed: number;
  readonly violation: Violation | undefined;
  readonly transcript: readonly string[];
  readonly disruptions: number;
}

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

class Stop extends Error {
  readonly violation: Violation;

  constructor(violation: Violation) {
    super(violation.message);
    this.violation = violation;
  }
}

/** One random story of the whole stack. A schedule is its seed, and nothing else. */
export async function runSchedule(seed: number, logLevel: 'error' | 'warn' = 'error'): Promise<ScheduleResult> {
  const random = new Random(seed);
  const scenario = drawScenario(random);
  const transcript: string[] = [];
  const skews = [0, 0, 0].map(() => (random.chance(30) ? (random.below(600) - 300) * 1_000 : 0));
  let origin = 0;
  const opening = openStack({ seed, replicas: scenario.replicas, skews, logLevel, report: (line) => tell(line) });
  let stack: Stack | undefined;
  const tell = (line: string) => {
    const at = stack === undefined ? 0 : stack.clock.now() - origin;
    transcript.push(`t+${(at / 1000).toFixed(3).padStart(8)}  ${line}`);
  };
  stack = await opening;
  origin = stack.clock.now();
  const violations: Violation[] = [];
  const record = new LedgerRecord();
  observe(stack, record, tell, violations);
  try {
    tell(
      `${scenario.apps.map((app) => `${app.kind} ${app.name} x${app.replicas}`).join(', ')}; ${scenario.replicas} replicas`,
    );
    for (const budget of scenario.budgets)
      tell(
        `${budget.kind} ${budget.metadata.name} ${JSON.stringify(budget['spec'])} ${JSON.stringify(budget.metadata.annotations ?? {})}`,
      );
    const story = play({ stack, scenario, random, tell });
    await drive(stack.clock, story, { enough: () => violations.length > 0 });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    violations.push(error.violation);
  } finally {
    await drive(stack.clock, stack.close());
  }
  return { seed, violation: violations[0], transcript, disruptions: stack.history.disruptions.length };
}

function observe(stack: Stack, record: LedgerRecord, tell: (line: string) => void, violations: Violation[]): void {
  const { history, clock } = stack;
  const found = (violation: Violation | undefined) => {
    if (violation === undefined) return;
    tell(`VIOLATION ${violation.clause}: ${violation.message}`);
    violations.push(violation);
  };
  history.onDisruption = (disruption) => {
    tell(
      `${disruption.pod.metadata.name} (${disruption.pod.metadata.uid?.slice(0, 4)}) taken away by ${disruption.cause} of ${disruption.user}`,
    );
    found(judgeDisruption(history, disruption));
    found(record.tookAway(disruption, clock.now()));
  };
  history.onLedger = (before, after) => {
    tell(`ledger: ${ledgerText(after)}`);
    found(checkLedger(after, history.asked, clock.now()));
    record.wrote(before, after, clock.now());
  };
  history.onPod = (before, after) => {
    const was = before === undefined ? 'none' : stateOf(before);
    const is = after === undefined ? 'gone' : stateOf(after);
    const object = after ?? before;
    if (was !== is) tell(`pod ${object?.metadata.name} (${object?.metadata.uid?.slice(0, 4)}): ${is}`);
  };
}

async function play(story: Story): Promise<void> {
  const { stack, scenario, random, tell } = story;
  await begin(story);
  const actors = new Actors(stack.client, random, tell);
  stack.network.weather = drawWeather(random);
  const calls: Promise<unknown>[] = [];
  const end = stack.clock.now() + busyMs;
  for (let count = 0; count < actionsAtMost && stack.clock.now() < end; count += 1) {
    await pause(stack, random.chance(50) ? random.below(50) : random.below(5_000));
    calls.push(act(story, actors, scenario.apps[0] as App));
  }
  await recover(story, actors);
  await Promise.all(calls);
  // An action that was still under way may have broken a pod after the recovery had looked at it.
  await mend(story, actors);
  await finish(story, actors);
}

async function begin({ stack, scenario, random, tell }: Story): Promise<void> {
  const { plane } = stack.cluster;
  const admin = plane.clientFor(adminUser, 'simulation');
  await admin.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const { object, kind } of scenario.apps) await admin.create(collectionOf(kind), object);
  await until(
    stack,
    () =>
      podsOf(stack).length >= scenario.apps.reduce((sum, app) => sum + app.replicas, 0) && podsOf(stack).every(isReady),
  );
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
    PodDisruptionBudget: 'policy/poddisruptionbudgets',
    PodUnavailableBudget: 'policy.kruise.io/podunavailablebudgets',
  };
  return collections[kind] ?? kind;
}

/** Everything that was broken on purpose is mended; what the operator is left with has to resolve itself. */
async function recover(story: Story, actors: Actors): Promise<void> {
  const { stack, tell } = story;
  tell('recovery');
  stack.network.weather = calm;
  for (const replica of stack.replicas) {
    replica.resume();
    if (!replica.isAlive) replica.start();
  }
  await mend(story, actors);
}

async function mend({ stack }: Story, actors: Actors): Promise<void> {
  for (const pod of podsOf(stack))
    if (pod.metadata.annotations?.['sim.holdfast.dev/ready'] !== undefined) await actors.ready(pod.metadata.name, true);
}

/** Nothing is held for ever, and what may go can go. */
async function finish({ stack, tell }: Story, actors: Actors): Promise<void> {
  const end = stack.clock.now() + restMs;
  do await pause(stack, settleMs);
  while (stack.clock.now() < end && (reservationsOf(stack).length > 0 || !podsOf(stack).every(isReady)));
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
  for (let count = 0; count < tries; count += 1) {
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
