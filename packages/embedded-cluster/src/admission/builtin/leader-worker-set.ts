import { formatFieldError } from '@holdfast/base/field-errors';
import type { PodObject } from '../../controllers/common/workloads.ts';
import { setName } from '../../controllers/leaderworkerset/keys.ts';
import { applyLwsDefaults } from '../../controllers/leaderworkerset/lws-defaults.ts';
import { type LwsObject, leaderWorkerSets, lwsCrdName } from '../../controllers/leaderworkerset/lws-object.ts';
import { validateLws, validateLwsUpdate } from '../../controllers/leaderworkerset/lws-validation.ts';
import { mutateLwsPod } from '../../controllers/leaderworkerset/pod-mutation.ts';
import type { ApiError } from '../../errors.ts';
import type { KubeObject } from '../../objects.ts';
import type { View } from '../../view.ts';
import type { AdmissionRequest } from '../admission.ts';
import { refusalOf } from '../webhooks/webhook-refusal.ts';
import type { Plugin } from './plugin.ts';

/** The part of LeaderWorkerSets that webhooks play elsewhere, and by their names. Only where the API is installed. */
export const leaderWorkerSet: Plugin = {
  admit(request, draft, { view }) {
    if (request.subresource !== '' || !draft) return;
    if (request.type.key === 'pods') placePod(request, draft, view);
    else if (request.type.key === leaderWorkerSets && isWrite(request)) applyLwsDefaults(draft);
  },
  validate(request) {
    const { type, subresource, object, oldObject } = request;
    if (type.key !== leaderWorkerSets || subresource !== '' || !isWrite(request)) return;
    const lws = object as LwsObject;
    const errors = [
      ...validateLws(lws),
      ...(request.operation === 'UPDATE' && oldObject ? validateLwsUpdate(lws, oldObject as LwsObject) : []),
    ];
    const [first, ...others] = new Set(errors.map(formatFieldError));
    if (first === undefined) return;
    throw denied('vleaderworkerset.kb.io', others.length === 0 ? first : `[${[first, ...others].join(', ')}]`);
  },
};

function placePod({ operation }: AdmissionRequest, draft: KubeObject, view: View): void {
  if (operation !== 'CREATE' || draft.metadata.labels?.[setName] === undefined) return;
  if (view.get('apiextensions.k8s.io/customresourcedefinitions', '', lwsCrdName) === undefined) return;
  const result = mutateLwsPod(draft as PodObject);
  if (result.kind === 'refused') throw denied('mpod.kb.io', result.why);
  draft.metadata = result.pod.metadata;
  draft['spec'] = result.pod.spec;
}

function isWrite({ operation }: AdmissionRequest): boolean {
  return operation === 'CREATE' || operation === 'UPDATE';
}

function denied(webhook: string, message: string): ApiError {
  return refusalOf(webhook, { code: 403, reason: 'Forbidden', message });
}
