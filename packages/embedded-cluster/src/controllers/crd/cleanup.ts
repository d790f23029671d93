import type { Client } from '../../client.ts';
import { type Crd, crdHasCondition } from '../../crd/crd.ts';
import { cleanupFinalizer, type DeletionState, withDeletionState } from '../../crd/crd-deletion.ts';
import { isApiError } from '../../errors.ts';
import type { KubeObject, ResourceKey } from '../../objects.ts';
import { type Clock, timestamp } from '../../time/clock.ts';
import type { View } from '../../view.ts';
import { errorMessageOf } from '../common/pod-writer.ts';
import { writeStatus } from '../common/status-writer.ts';
import type { Requeue } from '../controller.ts';
import { crds, customKey } from './crd-resource.ts';

export interface CleanupTools {
  readonly view: View;
  readonly client: Client;
  readonly clock: Clock;
}

/** Between looks at objects whose finalizers take their time. */
const lookAgainMs = 1_000;
const retryDeletesMs = 5_000;
/** From then on the CRD says that it waits. */
const patienceMs = 60_000;
const deletesAtOnce = 100;

/** Deletes what a terminating CRD defines, then lets it go. */
export async function cleanUp({ view, client, clock }: CleanupTools, name: string): Promise<Requeue | undefined> {
  const crd = view.get<Crd>(crds, '', name);
  const begun = crd?.metadata.deletionTimestamp;
  if (!crd || begun === undefined || !crd.metadata.finalizers?.includes(cleanupFinalizer)) return undefined;
  const say = (state: DeletionState, of: Crd): Promise<Crd> => {
    const conditions = withDeletionState(of, state, timestamp(clock.now()));
    return writeStatus(client, crds, of, { ...of.status, conditions });
  };
  if (!crdHasCondition(crd, 'Established')) {
    await letGo(client, await say({ kind: 'neverEstablished' }, crd));
    return undefined;
  }
  const key = customKey(crd);
  const marked = isWaiting(crd) ? crd : await say({ kind: 'inProgress' }, crd);
  const failures = await deleteAll(client, key, view.list(key));
  if (failures.length > 0) {
    await say({ kind: 'failed', why: [...new Set(failures)].join(', ') }, marked);
    return { afterMs: retryDeletesMs };
  }
  if (view.list(key).length > 0) {
    if (clock.now() - Date.parse(begun) >= patienceMs) {
      await say({ kind: 'remaining', why: 'timed out waiting for the condition' }, marked);
    }
    return { afterMs: lookAgainMs };
  }
  await letGo(client, await say({ kind: 'completed' }, marked));
  return undefined;
}

/** It has said already that it takes long; saying otherwise at each look would be noise. */
function isWaiting(crd: Crd): boolean {
  return crd.status?.conditions?.some(({ reason }) => reason === 'InstanceDeletionCheck') ?? false;
}

async function deleteAll(client: Client, key: ResourceKey, objects: readonly KubeObject[]): Promise<string[]> {
  const pending = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const failures: string[] = [];
  for (let start = 0; start < pending.length; start += deletesAtOnce) {
    const tasks = pending.slice(start, start + deletesAtOnce).map(async ({ metadata }) => {
      try {
        const { namespace = '', name, uid } = metadata;
        await client.delete(key, namespace, name, uid === undefined ? {} : { uid });
      } catch (error) {
        if (!isApiError(error, 404)) failures.push(errorMessageOf(error));
      }
    });
    await Promise.all(tasks);
  }
  return failures;
}

async function letGo(client: Client, crd: Crd): Promise<void> {
  const finalizers = (crd.metadata.finalizers ?? []).filter((one) => one !== cleanupFinalizer);
  await client.update(crds, { ...crd, metadata: { ...crd.metadata, finalizers } });
}
