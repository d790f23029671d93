import { type FieldError, forbidden, formatFieldErrors } from '@holdfast/base/field-errors';
import { type Fields, isObject, isUnset, sameJson } from '@holdfast/base/json';
import type { StatefulSet } from '../../api/statefulset.ts';
import {
  enforcedRollingUpdate,
  misspeltStrategy,
  parseRolloutOptIn,
  type RolloutOptIn,
} from '../../core/rollout/opt-in.ts';
import { enforcedRolloutGate } from '../../install/index.ts';
import { answerBad, answerInvalid, answerUnavailable } from '../admission/answers.ts';
import type { WebhookHandler } from '../admission/handler.ts';
import type { AdmissionAnswer, ReviewRequest } from '../admission/wire/review.ts';
import { strategyOf } from './declared-strategy.ts';
import { strategyPatch } from './strategy-patch.ts';

export interface StatefulSetsParts {
  /** The feature gate. */
  readonly enabled: boolean;
}

/**
 * Lets people write `updateStrategy.type: EnforcedRollingUpdate`, which the API server would refuse: it stores RollingUpdate and an
 * annotation instead. Everything is in the request, so there is nothing to wait for.
 */
export function statefulSetsHandler({ enabled }: StatefulSetsParts): WebhookHandler {
  return {
    answer: (review) => Promise.resolve(answerTo(review, enabled)),
    // What asks for an enforced rollout cannot be stored without us, and no other request is sent here.
    inDoubt: (_review, why) =>
      answerUnavailable(
        `Holdfast could not check the update strategy ${why === 'late' ? 'in time' : 'because of an internal error'}`,
      ),
  };
}

const strategyField = 'spec.updateStrategy.type';
const pass: AdmissionAnswer = { allowed: true };

function answerTo(review: ReviewRequest, enabled: boolean): AdmissionAnswer {
  const isSet = review.group === 'apps' && review.resource === 'statefulsets' && review.subResource === '';
  if (!isSet || (review.operation !== 'CREATE' && review.operation !== 'UPDATE')) return pass;
  const now = objectIn(review.object, 'request.object');
  if (typeof now === 'string') return answerBad(now);
  const hint = misspeltStrategy(now as unknown as StatefulSet);
  // The API server refuses it after us; its answer does not know our word.
  if (hint !== undefined) return { allowed: true, warnings: [formatFieldErrors([hint])] };
  const asks = strategyOf(now)['type'] === enforcedRollingUpdate;
  if (!enabled) return asks ? invalid(review, [gateIsOff]) : pass;
  if (review.operation === 'CREATE') return admit(review, now, undefined, asks);
  const old = objectIn(review.oldObject, 'request.oldObject');
  return typeof old === 'string' ? answerBad(old) : admit(review, now, old, asks);
}

const gateIsOff = forbidden(
  strategyField,
  `${enforcedRollingUpdate} needs the feature gate ${enforcedRolloutGate}, which is off in this cluster; turn it on, or use RollingUpdate`,
);

function admit(review: ReviewRequest, now: Fields, old: Fields | undefined, asks: boolean): AdmissionAnswer {
  const optIn = optInOf(now);
  if (optIn.kind === 'invalid' && !isOldMistake(now, old, optIn)) return invalid(review, optIn.errors);
  return { allowed: true, patch: strategyPatch(now, old), ...(asks ? { warnings: warningsAbout(optIn) } : {}) };
}

function objectIn(value: unknown, field: string): Fields | string {
  return isObject(value) ? value : `${field} must be an object`;
}

/** API servers send what they have decoded into the type; the reader takes everything in it for optional. */
function optInOf(set: Fields): RolloutOptIn {
  return parseRolloutOptIn({ metadata: {}, ...set } as unknown as StatefulSet);
}

/** What was stored unchecked, and what is terminating, must still be possible to change: finalizers have to come off. */
function isOldMistake(now: Fields, old: Fields | undefined, mistake: RolloutOptIn): boolean {
  if (isObject(now['metadata']) && !isUnset(now['metadata']['deletionTimestamp'])) return true;
  return old !== undefined && sameJson(optInOf(old), mistake);
}

function warningsAbout(optIn: RolloutOptIn): readonly string[] {
  if (optIn.kind !== 'off' || optIn.why !== 'parallel') return [];
  return [`${strategyField}: ${enforcedRollingUpdate} has no effect with podManagementPolicy Parallel`];
}

function invalid(review: ReviewRequest, errors: readonly FieldError[]): AdmissionAnswer {
  return answerInvalid({ group: 'apps', kind: 'StatefulSet', name: review.name }, errors);
}
