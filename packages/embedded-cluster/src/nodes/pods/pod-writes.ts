/** What a kubelet writes to the API server about one of its pods. A pod of the same name but another uid is left alone. */

import { sameJson } from '@holdfast/base/json';
import type { PodStatus } from 'kubernetes-types/core/v1.js';
import type { Client } from '../../client.ts';
import { isFinishedPod } from '../../controllers/common/pods.ts';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { isApiError } from '../../errors.ts';

/** Writes the status if there is anything new in it. A finished pod stays finished. */
export async function writePodStatus(
  client: Client,
  pod: PodObject,
  render: (current: PodObject) => PodStatus,
): Promise<void> {
  const { namespace = '', name, uid } = pod.metadata;
  if (isFinishedPod(pod) || sameJson(pod.status, render(pod))) return;
  await client.modify<PodObject>(
    'pods',
    namespace,
    name,
    (draft) => (draft.metadata.uid !== uid || isFinishedPod(draft) ? undefined : { ...draft, status: render(draft) }),
    { subresource: 'status' },
  );
}

/** Sets an annotation, or takes it away. */
export async function annotatePod(
  client: Client,
  pod: PodObject,
  annotation: string,
  value: string | undefined,
): Promise<void> {
  const { namespace = '', name, uid } = pod.metadata;
  await client.modify<PodObject>('pods', namespace, name, (draft) => {
    if (draft.metadata.uid !== uid) return undefined;
    const { [annotation]: _, ...others } = draft.metadata.annotations ?? {};
    const annotations = value === undefined ? others : { ...others, [annotation]: value };
    return { ...draft, metadata: { ...draft.metadata, annotations } };
  });
}

/** The last word on a deleted pod; finalizers may still hold what is left of it. */
export async function removePod(client: Client, pod: PodObject): Promise<void> {
  const { namespace = '', name, uid, deletionGracePeriodSeconds, finalizers = [] } = pod.metadata;
  if (deletionGracePeriodSeconds === 0 && finalizers.length > 0) return;
  try {
    await client.delete('pods', namespace, name, { gracePeriodSeconds: 0, ...(uid ? { uid } : {}) });
  } catch (error) {
    // Another client has deleted it, or it has been replaced.
    if (!isApiError(error, 404) && !isApiError(error, 409)) throw error;
  }
}
