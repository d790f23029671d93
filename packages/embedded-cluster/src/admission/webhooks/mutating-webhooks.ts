import { sameJson } from '@holdfast/base/json';
import { type ApiError, internalError } from '../../errors.ts';
import type { ResourceType } from '../../kinds/resource-type.ts';
import { joinApiVersion, type KubeObject } from '../../objects.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { AdmissionTarget, GroupVersionKind } from './admission-review.ts';
import type { ReviewAnswer } from './review-response.ts';
import type { Webhook } from './webhook.ts';
import { type CallContext, type CallOutcome, callWebhook, webhookFailure } from './webhook-call.ts';
import { ConditionValues, checkConditions, isExempt, type MatchContext, scopeOf } from './webhook-match.ts';
import { applyPatchTo, decodePatch } from './webhook-patch.ts';

export interface MutatingContext extends MatchContext, CallContext {
  convert(type: ResourceType, object: KubeObject, apiVersion: string): Promise<KubeObject>;
  /** Brings a patched object into the shape that decoding would have given it. */
  applyDefaults(kind: GroupVersionKind, draft: KubeObject): void;
}

/** A webhook or a policy. */
type Invoked = Pick<Webhook, 'id' | 'reinvoke'>;

/** Which of them are to be called again, because another one changed the object after them. */
export class Reinvocation {
  readonly #asked = new Set<string>();
  readonly #again = new Set<string>();
  /** Whether any webhook changed the object: then the whole chain runs a second time. */
  changed = false;
  round: 'first' | 'second' = 'first';

  asked({ id, reinvoke }: Invoked): void {
    if (reinvoke) this.#asked.add(id);
  }

  objectChanged(): void {
    for (const id of this.#asked) this.#again.add(id);
    this.#asked.clear();
  }

  /** A webhook that the first round had no reason to ask is not asked in the second one either. */
  skips({ id }: Invoked): boolean {
    return this.round === 'second' && !this.#again.has(id);
  }
}

/** The object on its way from webhook to webhook, in the version that the last one wanted. */
interface Passage {
  object: KubeObject | undefined;
  oldObject: KubeObject | undefined;
  kind: GroupVersionKind;
  /** Nothing changes an object on its way: a patch makes another one of it. */
  readonly values: ConditionValues;
}

/** Asks the webhooks one after the other, each about what the ones before it made of the object. */
export async function runMutatingWebhooks(
  webhooks: readonly Webhook[],
  request: AdmissionRequest,
  reinvocation: Reinvocation,
  context: MutatingContext,
): Promise<KubeObject | undefined> {
  if (isExempt(request)) return request.object;
  const passage: Passage = {
    object: request.object,
    oldObject: request.oldObject,
    kind: request.kind,
    values: new ConditionValues(),
  };
  for (const webhook of webhooks) {
    const current = { ...request, object: passage.object, oldObject: passage.oldObject };
    const target = await targetOf(webhook, current, passage, context);
    if (!target || reinvocation.skips(webhook)) continue;
    await bring(passage, request, target.kind, context);
    const outcome = await callWebhook({ webhook, request, target, objects: passage, mutating: true }, context);
    const changed = applyOutcome(outcome, webhook, passage, request, context);
    if (changed) {
      reinvocation.objectChanged();
      reinvocation.changed = true;
    }
    reinvocation.asked(webhook);
  }
  await bring(passage, request, request.kind, context);
  return passage.object;
}

async function targetOf(
  webhook: Webhook,
  request: AdmissionRequest,
  passage: Passage,
  context: MutatingContext,
): Promise<AdmissionTarget | undefined> {
  const scope = scopeOf(webhook, request, context);
  if (scope.kind === 'refuse') throw scope.error;
  if (scope.kind === 'skip') return undefined;
  if (webhook.conditions.length > 0) await bring(passage, request, scope.target.kind, context);
  const verdict = checkConditions(webhook, request, scope.target, passage, passage.values);
  if (verdict === 'call') return scope.target;
  if (verdict === 'skip') return undefined;
  throw verdict;
}

/** Converts what is on its way to another version. */
async function bring(
  passage: Passage,
  request: AdmissionRequest,
  kind: GroupVersionKind,
  context: MutatingContext,
): Promise<void> {
  if (passage.kind.version === kind.version && passage.kind.group === kind.group) return;
  const apiVersion = joinApiVersion(kind.group, kind.version);
  if (passage.object) passage.object = await context.convert(request.type, passage.object, apiVersion);
  if (passage.oldObject) passage.oldObject = await context.convert(request.type, passage.oldObject, apiVersion);
  passage.kind = kind;
}

/** Whether the webhook changed the object. */
function applyOutcome(
  outcome: CallOutcome,
  webhook: Webhook,
  passage: Passage,
  request: AdmissionRequest,
  context: MutatingContext,
): boolean {
  switch (outcome.kind) {
    case 'failed':
      if (webhook.ignoreFailures) return false;
      throw webhookFailure(webhook, outcome.reason);
    case 'refused':
      request.warnings.push(...outcome.warnings);
      throw outcome.error;
    case 'allowed':
      request.warnings.push(...outcome.answer.warnings);
      return applyPatch(outcome.answer, webhook, passage, context);
  }
}

function applyPatch(answer: ReviewAnswer, webhook: Webhook, passage: Passage, context: MutatingContext): boolean {
  if (!answer.patch) return false;
  const decoded = decodePatch(answer.patch);
  if (!decoded.ok) return broken(webhook, `received undecodable patch in webhook response: ${decoded.reason}`);
  if (decoded.operations.length === 0) return false;
  const before = passage.object;
  if (!before) throw unpatchable(webhook);
  if (answer.patchType !== 'JSONPatch') return broken(webhook, `unsupported patch type "${answer.patchType ?? ''}"`);
  const applied = applyPatchTo(before, decoded.operations);
  if (!applied.ok) throw internalError(applied.reason);
  const after = applied.object;
  const changed = !sameJson(before, after);
  context.applyDefaults(passage.kind, after);
  passage.object = after;
  return changed;
}

function broken(webhook: Webhook, reason: string): false {
  if (webhook.ignoreFailures) return false;
  throw webhookFailure(webhook, reason);
}

function unpatchable(webhook: Webhook): ApiError {
  return internalError(
    `admission webhook "${webhook.name}" attempted to modify the object, which is not supported for this operation`,
  );
}
