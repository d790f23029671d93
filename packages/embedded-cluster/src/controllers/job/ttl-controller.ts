import { isApiError } from '../../errors.ts';
import { keyOf, splitKey } from '../../objects.ts';
import { millis } from '../common/pods.ts';
import type { JobObject } from '../common/workloads.ts';
import { type Controller, type ControllerContext, Reconciler, type Requeue } from '../controller.ts';

const name = 'ttl-after-finished-controller';

/** When a finished job is to be deleted; undefined where it stays. */
function expiresAt(job: JobObject): number | undefined {
  const ttl = job.spec.ttlSecondsAfterFinished;
  if (ttl === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
  const end = job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  const finished = millis(end?.lastTransitionTime);
  return finished === undefined ? undefined : finished + ttl * 1000;
}

/** Deletes finished jobs when their time is up. */
export function startTtlAfterFinishedController(context: ControllerContext): Controller {
  const client = context.clientFor(name);
  const reconciler = new Reconciler(context, {
    name,
    async reconcile(key): Promise<Requeue | undefined> {
      const { namespace, name: jobName } = splitKey(key);
      const job = context.view.get<JobObject>('batch/jobs', namespace, jobName);
      const expiry = job && expiresAt(job);
      if (job === undefined || expiry === undefined) return undefined;
      const left = expiry - context.clock.now();
      if (left > 0) return { afterMs: left };
      const uid = job.metadata.uid ?? '';
      await client.delete('batch/jobs', namespace, jobName, { propagationPolicy: 'Foreground', uid }).catch(ignoreGone);
      return undefined;
    },
  });
  const watching = context.view.watch('batch/jobs', ({ object }) => reconciler.add(keyOf(object)));
  return {
    stop() {
      watching.stop();
      reconciler.stop();
    },
  };
}

function ignoreGone(error: unknown): void {
  if (!isApiError(error, 404)) throw error;
}
