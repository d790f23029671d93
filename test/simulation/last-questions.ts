import type { KubeObject } from '../../packages/embedded-cluster/src/objects.ts';
import type { Actors } from './actors.ts';
import { podsOf, type Story } from './happenings.ts';
import { hasGate } from './helpers.ts';
import { mayGoNow, type Violation } from './judge.ts';
import { namespace } from './objects.ts';
import { gateOf } from './pod-updates.ts';
import type { Stack } from './stack.ts';
import { isReady, notedIn } from './words.ts';

/** For everything to come to rest: longer than a reservation lasts that came to nothing (120 s, 35 s, and a restart between). */
const restMs = 420_000;
/** For controllers, views and leaders to come to rest after the last change; who needs longer is asked again. */
const settleMs = 10_000;
/** Pods that are evicted in the end: the second one may be of the same group as the first, and then costs nothing (I2). */
const lastPods = 3;
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

/** Nothing is held for ever, and what may go can go, one pod after the other. */
export async function finish({ stack, tell }: Story, actors: Actors): Promise<void> {
  const end = stack.clock.now() + restMs;
  await openClosedGates(stack, actors);
  do await pause(stack, settleMs);
  while (stack.clock.now() < end && !isAtRest(stack));
  const left = reservationsOf(stack);
  if (left.length > 0) {
    const message = `still reserved ${restMs / 1000} s after the last request: ${left.join(', ')}`;
    throw new Stop({ clause: 'I9', at: stack.clock.now(), message });
  }
  for (let count = 0; count < lastPods; count += 1) {
    const pod = podsOf(stack).find((one) => isReady(one) && mayGo(stack, one));
    if (pod === undefined) return;
    tell(`${pod.metadata.name} may go`);
    await mustGo(stack, actors, pod);
  }
}

async function mustGo(stack: Stack, actors: Actors, pod: KubeObject): Promise<void> {
  const { name } = pod.metadata;
  for (let count = 0; count < tries; count += 1) {
    const refused = podsOf(stack).find((one) => !mayGo(stack, one));
    // Who asks for a pod that may not go does not keep others from going.
    if (refused !== undefined) await actors.evict(refused.metadata.name);
    if ((await actors.evict(name)) || !isStill(stack, pod) || !mayGo(stack, pod)) return;
    await pause(stack, tryEveryMs);
  }
  const message = `${name} may go, and was refused for ${(tries * tryEveryMs) / 1000} s`;
  throw new Stop({ clause: 'liveness', at: stack.clock.now(), message });
}

function mayGo({ history }: Stack, pod: KubeObject): boolean {
  return mayGoNow(history, pod, 'EVICT');
}

function isStill(stack: Stack, pod: KubeObject): boolean {
  return podsOf(stack).some(({ metadata }) => metadata.uid === pod.metadata.uid);
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

/** Controllers that update in place put every pod back into service in the end. */
async function openClosedGates(stack: Stack, actors: Actors): Promise<void> {
  const closed = podsOf(stack).filter((pod) => hasGate(pod) && gateOf(pod) === 'False');
  for (const pod of closed) await actors.gate(pod.metadata.name, true);
}

export function pause({ clock }: Stack, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
