import type { Client } from '../../client.ts';
import { conflict, isApiError } from '../../errors.ts';
import type { EventRecorder } from '../common/events.ts';
import { deletePod, errorMessageOf } from '../common/pod-writer.ts';
import type { PodObject, StatefulSetObject } from '../common/workloads.ts';
import type { SetAction } from './plan-stateful-set.ts';

const claims = 'persistentvolumeclaims';

interface Tools {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly set: StatefulSetObject;
}

type Verb = 'Create' | 'Update' | 'Delete';

export async function executeAction(tools: Tools, action: SetAction): Promise<void> {
  const { client, events, set } = tools;
  switch (action.kind) {
    case 'warn':
      events.event(set, 'Warning', action.reason, action.message);
      return;
    case 'fail':
      podEvent(tools, 'Create', action.pod, action.message);
      throw conflict({ group: '', resource: claims }, action.pod.metadata.name, action.message);
    case 'createClaim':
      return createClaim(tools, action.claim, action.pod);
    case 'updateClaim':
      await client.update(claims, action.claim);
      return;
    case 'createPod':
      return attempt(tools, 'Create', action.pod, () => client.create('pods', action.pod));
    case 'updatePod':
      return attempt(tools, 'Update', action.pod, () => client.update('pods', action.pod));
    case 'deletePod':
      return attempt(tools, 'Delete', action.pod, () => unlessGone(deletePod(client, action.pod)));
  }
}

async function attempt(tools: Tools, verb: Verb, pod: PodObject, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    // Another client was faster; the next reconciliation sees what is there.
    if (!isApiError(error, 409)) podEvent(tools, verb, pod, errorMessageOf(error));
    throw error;
  }
  podEvent(tools, verb, pod, undefined);
}

async function unlessGone(write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isApiError(error, 404)) throw error;
  }
}

function podEvent({ events, set }: Tools, verb: Verb, pod: PodObject, error: string | undefined): void {
  const what = `${verb} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  if (error === undefined) events.event(set, 'Normal', `Successful${verb}`, `${what} successful`);
  else events.event(set, 'Warning', `Failed${verb}`, `${what} failed error: ${error}`);
}

async function createClaim(
  tools: Tools,
  claim: Extract<SetAction, { kind: 'createClaim' }>['claim'],
  pod: PodObject,
): Promise<void> {
  const { client, events, set } = tools;
  const subject = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  try {
    await client.create(claims, claim);
    events.event(set, 'Normal', 'SuccessfulCreate', `Create Claim ${claim.metadata.name} ${subject} success`);
  } catch (error) {
    if (isApiError(error, 409)) throw error;
    const why = errorMessageOf(error);
    events.event(
      set,
      'Warning',
      'FailedCreate',
      `Create Claim ${claim.metadata.name} for ${subject} failed error: ${why}`,
    );
    podEvent(tools, 'Create', pod, `failed to create PVC ${claim.metadata.name}: ${why}`);
    throw error;
  }
}
