import type { ApiError } from '../../errors.ts';
import type { ResourceType } from '../../kinds/resource-type.ts';
import { joinApiVersion, type KubeObject } from '../../objects.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { AdmissionTarget } from './admission-review.ts';
import type { Webhook } from './webhook.ts';
import { type Call, type CallContext, type CallOutcome, callWebhook, webhookFailure } from './webhook-call.ts';
import {
  ConditionValues,
  checkConditions,
  isExempt,
  type MatchContext,
  scopeOf,
  type VersionedObjects,
} from './webhook-match.ts';

export interface ValidatingContext extends MatchContext, CallContext {
  convert(type: ResourceType, object: KubeObject, apiVersion: string): Promise<KubeObject>;
}

/** Asks all webhooks at once. Of several refusals the first in the order of configurations is given. */
export async function runValidatingWebhooks(
  webhooks: readonly Webhook[],
  request: AdmissionRequest,
  context: ValidatingContext,
): Promise<void> {
  if (isExempt(request)) return;
  const calls = await relevantCalls(webhooks, request, context);
  const outcomes = await Promise.all(calls.map((call) => callWebhook(call, context)));
  const errors = outcomes.flatMap((outcome, index) => judge(outcome, (calls[index] as Call).webhook, request));
  if (errors[0]) throw errors[0];
}

async function relevantCalls(
  webhooks: readonly Webhook[],
  request: AdmissionRequest,
  context: ValidatingContext,
): Promise<readonly Call[]> {
  const versions = new Map<string, Promise<VersionedObjects>>();
  const values = new ConditionValues();
  const calls: Call[] = [];
  for (const webhook of webhooks) {
    const scope = scopeOf(webhook, request, context);
    if (scope.kind === 'refuse') throw scope.error;
    if (scope.kind === 'skip') continue;
    const objects = await versioned(versions, request, scope.target, context);
    const verdict = checkConditions(webhook, request, scope.target, objects, values);
    if (verdict === 'skip') continue;
    if (verdict !== 'call') throw verdict;
    calls.push({ webhook, request, target: scope.target, objects, mutating: false });
  }
  return calls;
}

/** The objects in the version that is wanted, converted once for all webhooks that want it. */
function versioned(
  known: Map<string, Promise<VersionedObjects>>,
  request: AdmissionRequest,
  { kind }: AdmissionTarget,
  context: ValidatingContext,
): Promise<VersionedObjects> | VersionedObjects {
  if (kind.version === request.kind.version && kind.group === request.kind.group) return request;
  const apiVersion = joinApiVersion(kind.group, kind.version);
  const converted = known.get(apiVersion) ?? convertBoth(request, apiVersion, context);
  known.set(apiVersion, converted);
  return converted;
}

async function convertBoth(
  { type, object, oldObject }: AdmissionRequest,
  apiVersion: string,
  { convert }: ValidatingContext,
): Promise<VersionedObjects> {
  return {
    object: object && (await convert(type, object, apiVersion)),
    oldObject: oldObject && (await convert(type, oldObject, apiVersion)),
  };
}

function judge(outcome: CallOutcome, webhook: Webhook, request: AdmissionRequest): readonly ApiError[] {
  switch (outcome.kind) {
    case 'allowed':
      request.warnings.push(...outcome.answer.warnings);
      return [];
    case 'refused':
      request.warnings.push(...outcome.warnings);
      return [outcome.error];
    case 'failed':
      return webhook.ignoreFailures ? [] : [webhookFailure(webhook, outcome.reason)];
  }
}
