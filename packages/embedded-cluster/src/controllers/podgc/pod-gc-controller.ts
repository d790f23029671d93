import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import { keyOf } from '../../objects.ts';
import { type Timer, timestamp } from '../../time/clock.ts';
import { isFinishedPod } from '../common/pods.ts';
import type { NodeObject, PodObject } from '../common/workloads.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { type Doomed, defaultFinishedLimit, failed, planPodGc } from './plan-pod-gc.ts';

export interface PodGcOptions {
  /** Finished pods beyond this number are deleted, the oldest first. */
  readonly finishedLimit?: number;
}

const intervalMs = 20_000;
/** A node that was deleted may come back, as when it is renamed or restored. */
const quarantineMs = 40_000;
const writesAtOnce = 100;
const controllerName = 'pod-garbage-collector';

/** Deletes pods that no node will ever end: on nodes that are gone, never scheduled, or finished and too many. */
export function startPodGcController(context: ControllerContext, options: PodGcOptions = {}): Controller {
  const client = context.clientFor(controllerName);
  const missingSince = new Map<string, number>();
  let timer: Timer | undefined;
  let stopped = false;
  const look = async (): Promise<void> => {
    await sweep(context, client, missingSince, options.finishedLimit ?? defaultFinishedLimit);
    if (!stopped) timer = context.clock.after(intervalMs, () => void look());
  };
  timer = context.clock.after(intervalMs, () => void look());
  return {
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}

async function sweep(
  context: ControllerContext,
  client: Client,
  missingSince: Map<string, number>,
  finishedLimit: number,
): Promise<void> {
  const { view, clock } = context;
  const pods = view.list<PodObject>('pods');
  const node = (name: string) => view.get<NodeObject>('nodes', '', name);
  noteMissing(missingSince, pods, (name) => node(name) === undefined, clock.now());
  const isLost = (name: string): boolean => {
    const since = missingSince.get(name);
    return since !== undefined && clock.now() - since >= quarantineMs;
  };
  const doomed = planPodGc({ pods, node, isLost }, finishedLimit);
  for (let start = 0; start < doomed.length; start += writesAtOnce) {
    await Promise.all(doomed.slice(start, start + writesAtOnce).map((one) => end(context, client, one)));
  }
}

function noteMissing(
  missingSince: Map<string, number>,
  pods: readonly PodObject[],
  isMissing: (node: string) => boolean,
  nowMs: number,
): void {
  const missing = new Set<string>();
  for (const { spec } of pods) if (spec.nodeName && isMissing(spec.nodeName)) missing.add(spec.nodeName);
  for (const name of missingSince.keys()) if (!missing.has(name)) missingSince.delete(name);
  for (const name of missing) if (!missingSince.has(name)) missingSince.set(name, nowMs);
}

async function end(context: ControllerContext, client: Client, { pod, message }: Doomed): Promise<void> {
  const { namespace = '', name, uid } = pod.metadata;
  try {
    if (!isFinishedPod(pod)) {
      const now = timestamp(context.clock.now());
      const fail = (draft: PodObject) => (draft.metadata.uid === uid ? failed(draft, message, now) : undefined);
      await client.modify<PodObject>('pods', namespace, name, fail, { subresource: 'status' });
    }
    await client.delete('pods', namespace, name, { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }) });
  } catch (error) {
    // The next look comes anyway; what is gone or replaced meanwhile needs none.
    if (!isApiError(error, 404) && !isApiError(error, 409)) context.report(controllerName, keyOf(pod), error);
  }
}
