import type { Client } from '../../client.ts';
import { isApiError } from '../../errors.ts';
import { keyOf, splitKey } from '../../objects.ts';
import { controllerOf } from '../common/owners.ts';
import type { JobObject, PodObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler } from '../controller.ts';
import { isFinishedJob, isTracked, withoutTracking } from './job-fields.ts';

const name = 'job-controller';

/** Frees pods that no job will count any more: their job is gone, is over, or was never theirs. */
export function startOrphanPods(context: ControllerContext, client: Client): Controller {
  const reconciler = new Reconciler(context, {
    name,
    async reconcile(key) {
      const { namespace, name: podName } = splitKey(key);
      const pod = context.view.get<PodObject>('pods', namespace, podName);
      if (pod && isOrphan(context, pod)) await stripFinalizer(client, pod);
      return undefined;
    },
  });
  const pods = context.view.watch('pods', ({ object, type }) => {
    if (type !== 'DELETED' && isTracked(object as PodObject)) reconciler.add(keyOf(object));
  });
  const jobs = context.view.watch('batch/jobs', ({ object, type }) => {
    if (type !== 'DELETED' && !isFinishedJob(object as JobObject)) return;
    for (const pod of context.view.controlledBy('pods', object.metadata.uid ?? '')) reconciler.add(keyOf(pod));
  });
  return {
    stop() {
      pods.stop();
      jobs.stop();
      reconciler.stop();
    },
  };
}

function isOrphan({ view }: ControllerContext, pod: PodObject): boolean {
  if (!isTracked(pod)) return false;
  const owner = controllerOf(pod);
  if (owner === undefined || owner.kind !== 'Job') return true;
  const job = view.get<JobObject>('batch/jobs', pod.metadata.namespace ?? '', owner.name);
  return job === undefined || job.metadata.uid !== owner.uid || isFinishedJob(job);
}

/** Says whether the pod is without the finalizer now; a pod that is gone is. */
export async function stripFinalizer(client: Client, pod: PodObject): Promise<void> {
  const { namespace, name: podName, uid } = pod.metadata;
  try {
    await client.modify<PodObject>('pods', namespace ?? '', podName, (draft) =>
      draft.metadata.uid === uid && isTracked(draft) ? withoutTracking(draft) : undefined,
    );
  } catch (error) {
    if (!isApiError(error, 404)) throw error;
  }
}
