import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import type { KubeObject } from '../../objects.ts';
import type { EventRecorder } from './events.ts';
import type { PodObject } from './workloads.ts';

/** Creates and deletes pods of an owner, and tells about it in the owner's events. */
export interface PodWriter {
  create(owner: KubeObject, pod: PodObject): Promise<void>;
  delete(owner: KubeObject, pod: PodObject): Promise<void>;
}

export function createPodWriter(client: Client, events: EventRecorder): PodWriter {
  return {
    async create(owner, pod) {
      try {
        const created = await client.create('pods', pod);
        events.event(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
      } catch (error) {
        // Nothing can be created in a terminating namespace, and that is not worth an event.
        if (!isNamespaceTerminating(error)) {
          events.event(owner, 'Warning', 'FailedCreate', `Error creating: ${errorMessageOf(error)}`);
        }
        throw error;
      }
    },
    async delete(owner, pod) {
      try {
        await deletePod(client, pod);
        events.event(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
      } catch (error) {
        if (isApiError(error, 404)) return;
        events.event(owner, 'Warning', 'FailedDelete', `Error deleting: ${errorMessageOf(error)}`);
        throw error;
      }
    },
  };
}

/** Only this very pod: one of the same name may have taken its place. */
export function deletePod(client: Client, pod: PodObject): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  return client.delete('pods', namespace ?? '', name, uid === undefined ? {} : { uid });
}

export function isNamespaceTerminating(error: unknown): boolean {
  return (
    isApiError(error, 403) &&
    (error.status.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating')
  );
}

export function errorMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs all of them, and then fails with the first error, if there was one. */
export async function allOf(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const results = await Promise.allSettled(tasks.map((task) => task()));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
