import { type ApiError, badRequest, internalError } from '../../errors.ts';
import { type Random, randomUid } from '../../time/random.ts';
import type { AdmissionRequest } from '../admission.ts';
import { type AdmissionTarget, encodeReview, requestFields, reviewVersion } from './admission-review.ts';
import { type ReviewAnswer, readAnswer } from './review-response.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookClient } from './webhook-client.ts';
import type { VersionedObjects } from './webhook-match.ts';
import { refusalOf } from './webhook-refusal.ts';

export interface CallContext {
  readonly client: WebhookClient;
  readonly random: Random;
}

export interface Call {
  readonly webhook: Webhook;
  readonly request: AdmissionRequest;
  readonly target: AdmissionTarget;
  readonly objects: VersionedObjects;
  readonly mutating: boolean;
}

export type CallOutcome =
  | { readonly kind: 'allowed'; readonly answer: ReviewAnswer }
  /** The request ends here, whatever the failure policy is. */
  | { readonly kind: 'refused'; readonly error: ApiError; readonly warnings: readonly string[] }
  /** No answer that could be used: the failure policy decides. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Asks one webhook. */
export async function callWebhook(call: Call, context: CallContext): Promise<CallOutcome> {
  const { webhook, request, target, objects, mutating } = call;
  if (request.dryRun && webhook.sideEffectsOnDryRun) {
    const error = badRequest(`admission webhook "${webhook.name}" does not support dry run`);
    return { kind: 'refused', error, warnings: [] };
  }
  const version = reviewVersion(webhook.reviewVersions);
  if (!version) {
    const known = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    return failed(`could not create admission objects: ${known}`);
  }
  const uid = randomUid(context.random);
  const body = encodeReview(version, requestFields(uid, request, target, objects));
  const posted = await context.client.post(webhook.client, body, webhook.timeoutSeconds);
  if (posted.kind === 'failed') return failed(posted.reason);
  const read = readAnswer(posted.body, { version, uid, mutating });
  if (!read.ok) {
    const step = read.problem === 'invalid' ? 'received invalid webhook response' : 'failed to call webhook';
    return failed(`${step}: ${read.reason}`);
  }
  const { answer } = read;
  if (answer.allowed) return { kind: 'allowed', answer };
  return { kind: 'refused', error: refusalOf(webhook.name, answer.status), warnings: answer.warnings };
}

function failed(reason: string): CallOutcome {
  return { kind: 'failed', reason };
}

/** What the client gets when a webhook that must be asked cannot be. */
export function webhookFailure(webhook: Webhook, reason: string): ApiError {
  return internalError(`failed calling webhook "${webhook.name}": ${reason}`);
}
