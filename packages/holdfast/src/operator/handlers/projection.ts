import { type Fields, isObject } from '@holdfast/base/json';
import type { PodDisruptionBudget } from '../../api/pdb.ts';
import { shownProjection } from '../../core/status/projection.ts';
import type { WebhookHandler } from '../admission/handler.ts';
import type { AdmissionAnswer, JsonPatchOperation, ReviewRequest } from '../admission/wire/review.ts';

const pass: AdmissionAnswer = { allowed: true };

/**
 * Puts the number of units into a status that the disruption controller of Kubernetes writes (S3), as the policy of newer API servers does
 * (install/projection-policy.ts). Everything is in the request, and nothing is ever refused: a number in pods is what there was before.
 */
export function projectionHandler(): WebhookHandler {
  return {
    answer: (review) => Promise.resolve(answerTo(review)),
    inDoubt: () => pass,
  };
}

function answerTo({ group, resource, subResource, operation, object, oldObject }: ReviewRequest): AdmissionAnswer {
  const isStatus = group === 'policy' && resource === 'poddisruptionbudgets' && subResource === 'status';
  if (!isStatus || operation !== 'UPDATE' || !isObject(object) || !isObject(oldObject)) return pass;
  const status = object['status'];
  const allowed = isObject(oldObject['metadata'])
    ? shownProjection(oldObject as unknown as PodDisruptionBudget)
    : undefined;
  if (allowed === undefined || !isObject(status)) return pass;
  const number: JsonPatchOperation = { op: 'add', path: '/status/disruptionsAllowed', value: allowed };
  return { allowed: true, patch: [number, ...conditionPatch(status, oldObject, allowed)] };
}

/** The condition follows the number, and keeps its time while it says the same. */
function conditionPatch(status: Fields, old: Fields, allowed: number): readonly JsonPatchOperation[] {
  const written = conditionIn(status);
  if (written === undefined) return [];
  const value = {
    ...written.condition,
    status: allowed > 0 ? 'True' : 'False',
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
  };
  const before = isObject(old['status']) ? conditionIn(old['status'])?.condition : undefined;
  const time = before?.['status'] === value.status ? { lastTransitionTime: before['lastTransitionTime'] } : {};
  return [{ op: 'replace', path: `/status/conditions/${written.index}`, value: { ...value, ...time } }];
}

function conditionIn({ conditions }: Fields): { readonly index: number; readonly condition: Fields } | undefined {
  if (!Array.isArray(conditions)) return undefined;
  const index = conditions.findIndex((one) => isObject(one) && one['type'] === 'DisruptionAllowed');
  const condition: unknown = conditions[index];
  return isObject(condition) ? { index, condition } : undefined;
}
