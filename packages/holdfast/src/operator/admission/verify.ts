import type { ObjectMeta } from '@holdfast/base/meta';
import { counted } from '../../api/wording.ts';
import type { DisruptionRequest } from '../../core/request.ts';
import type { Effects, PodVersion, Verdict } from '../../core/verdict.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { resources } from '../../observe/resources.ts';
import { type Deadline, unlessAborted } from './deadline.ts';
import type { AdmissionLimits } from './limits.ts';

/** Whether what a verdict rests on is still so, and whether the request can reach another pod than the judged one (N5, P9). */

export type PodReading =
  | { readonly kind: 'found'; readonly uid: string; readonly resourceVersion: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly message: string };

export interface PodReader {
  /** A consistent read of one pod by its name. */
  read(namespace: string, pod: string, signal: AbortSignal): Promise<PodReading>;
}

/** A GET without a resourceVersion is a consistent read. */
export function kubePodReader(client: Pick<KubeClient, 'getMetadata'>): PodReader {
  return {
    async read(namespace, name, signal): Promise<PodReading> {
      const answer = await client.getMetadata<{ readonly metadata: ObjectMeta }>(
        resources.pods,
        { namespace, name },
        { signal },
      );
      if (!answer.ok) {
        const { kind, message } = answer.failure;
        return kind === 'notFound' ? { kind: 'missing' } : { kind: 'failed', message };
      }
      const { uid, resourceVersion } = answer.value.metadata;
      if (uid === undefined || resourceVersion === undefined) {
        return { kind: 'failed', message: 'an object without a resourceVersion' };
      }
      return { kind: 'found', uid, resourceVersion };
    },
  };
}

export type Verification =
  | { readonly kind: 'holds' }
  /** A pod is not what the verdict took it for; a view as new as `resourceVersion` shows what it is. */
  | { readonly kind: 'changed'; readonly pod: string; readonly from: string; readonly resourceVersion: string }
  | { readonly kind: 'unknown'; readonly pod: string; readonly message: string };

type ReadLimits = Pick<AdmissionLimits, 'maxReads' | 'readsAtOnce'>;

/** A pod as the verdict believes it to be. Without a version only its uid matters. */
type Believed = Omit<PodVersion, 'resourceVersion'> & { readonly resourceVersion?: string };

/**
 * What must be read before the request may pass. A takeover carries the target's own version as a precondition of its DELETE; the API
 * server's delete carries none, so there the target is read, too. A resourceVersion that the client insists on belongs to one pod: if
 * that is read to be the judged one, the API server deletes that one or answers 409.
 */
export function podsToRead(effects: Effects, request: DisruptionRequest): readonly Believed[] {
  const { complete, onlyIf, target, restsOn = [] } = effects;
  if (complete === 'takeover') return restsOn;
  if (onlyIf !== undefined) return [onlyIf, ...restsOn];
  const insists = request.resourceVersionPrecondition === true && request.uid === undefined && request.dryRun !== true;
  return insists && target !== undefined ? [target, ...restsOn] : restsOn;
}

/**
 * An allowed eviction of a protected pod that carries the pod's name and no uid. A controller may replace the pod under the same name before the API
 * server acts: then the API server would apply the verdict about the old pod to the new one.
 */
export function isUnpinned(effects: Effects, request: DisruptionRequest): boolean {
  if (effects.complete === 'takeover' || effects.target === undefined) return false;
  return namesNoUid(request);
}

/** Allowed, without any budget that had to agree, and resting on nothing that can have become wrong. */
export function isFree(verdict: Verdict): boolean {
  if (verdict.result === 'deny') return false;
  const { reason, effects } = verdict;
  return reason !== 'WithinBudget' && reason !== 'AlreadyReserved' && effects.onlyIf === undefined;
}

/** The API server can act on the verdict at once: nothing has to be reserved, read or deleted first. */
export function passesAsItIs(verdict: Verdict, request: DisruptionRequest): boolean {
  return verdict.result === 'allow' && isFree(verdict) && !isUnpinned(verdict.effects, request);
}

/** An eviction that is bound to no pod: the API server acts on whatever pod has the name by then. */
export function namesNoUid({ operation, uid, resourceVersionPrecondition, dryRun }: DisruptionRequest): boolean {
  return operation === 'EVICT' && uid === undefined && resourceVersionPrecondition !== true && dryRun !== true;
}

/**
 * Reads the pods that a verdict rests on. To be called after the reservation is written: versions only grow, so a pod that is
 * unchanged now was unchanged at the moment of the write, and from then on every replica counts the target as deleted.
 */
export async function verifyPods(
  reader: PodReader,
  namespace: string,
  pods: readonly Believed[],
  limits: ReadLimits,
  deadline: Deadline,
): Promise<Verification> {
  if (pods.length > limits.maxReads) {
    const message = `the decision depends on ${counted(pods.length, 'pod')}, and at most ${limits.maxReads} are read`;
    return { kind: 'unknown', pod: pods[0]?.pod ?? '', message };
  }
  for (let start = 0; start < pods.length; start += limits.readsAtOnce) {
    const some = pods.slice(start, start + limits.readsAtOnce);
    const readings = await Promise.all(some.map((one) => verifyOne(reader, namespace, one, deadline)));
    const other = readings.find((one) => one.kind !== 'holds');
    if (other !== undefined) return other;
  }
  return { kind: 'holds' };
}

async function verifyOne(
  reader: PodReader,
  namespace: string,
  believed: Believed,
  deadline: Deadline,
): Promise<Verification> {
  return compare(believed, await readPodNow(reader, namespace, believed.pod, deadline));
}

/** Resolves by the deadline even if the reader hangs. */
export async function readPodNow(
  reader: PodReader,
  namespace: string,
  pod: string,
  deadline: Deadline,
): Promise<PodReading> {
  const late = (): PodReading => ({ kind: 'failed', message: 'the deadline of the request passed' });
  if (deadline.over) return late();
  const asked = reader.read(namespace, pod, deadline.signal).catch((error: unknown): PodReading => {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  });
  return unlessAborted(deadline.signal, asked, late);
}

/** A pod that does not exist serves nothing, as was believed of it. Another one of the same name may serve. */
function compare({ pod, uid, resourceVersion }: Believed, reading: PodReading): Verification {
  if (reading.kind === 'failed') return { kind: 'unknown', pod, message: reading.message };
  if (reading.kind === 'missing') return { kind: 'holds' };
  const same = resourceVersion === undefined || reading.resourceVersion === resourceVersion;
  if (reading.uid === uid && same) return { kind: 'holds' };
  return { kind: 'changed', pod, from: resourceVersion ?? uid, resourceVersion: reading.resourceVersion };
}
