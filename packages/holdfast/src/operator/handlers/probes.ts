import { annotationField } from '@holdfast/base/annotations';
import { type FieldError, forbidden } from '@holdfast/base/field-errors';
import { type Fields, isObject, isUnset, sameJson } from '@holdfast/base/json';
import { parseProbes } from '@holdfast/base/probes/probe';
import { annotation } from '../../api/names.ts';
import type { Pod } from '../../api/pod.ts';
import { foreignHosts, hostRefusal, podAddresses } from '../../api/probe-hosts.ts';
import { answerBad, answerInvalid } from '../admission/answers.ts';
import type { WebhookHandler } from '../admission/handler.ts';
import type { AdmissionAnswer, ReviewRequest } from '../admission/wire/review.ts';
import { podSourcesOf } from './pod-templates.ts';

const pass: AdmissionAnswer = { allowed: true };
const probeField = annotationField(annotation.disruptionProbe);

/**
 * Refuses disruption probes that cannot be read, where they are written: in pods and in pod templates. Protection does not depend
 * on it: a probe that slips by counts as one that fails. So doubt means yes here, and no pod waits for us to be created.
 */
export function probesHandler(allowedHosts: readonly string[]): WebhookHandler {
  return {
    answer: (review) => Promise.resolve(answerTo(review, allowedHosts)),
    inDoubt: () => pass,
  };
}

function answerTo(review: ReviewRequest, allowedHosts: readonly string[]): AdmissionAnswer {
  if (review.subResource !== '' || (review.operation !== 'CREATE' && review.operation !== 'UPDATE')) return pass;
  const now = objectIn(review.object, 'request.object');
  if (typeof now === 'string') return answerBad(now);
  const metadata = isObject(now['metadata']) ? now['metadata'] : {};
  if (!isUnset(metadata['deletionTimestamp'])) return pass;
  const isPod = review.group === '' && review.resource === 'pods';
  const found = (object: Fields) => errorsIn(object, isPod, allowedHosts);
  const errors = found(now);
  if (errors.length > 0 && !isOldMistake(review, errors, found)) {
    return answerInvalid({ group: review.group, kind: kindOf(now, review), name: nameOf(metadata, review) }, errors);
  }
  return isPod ? pass : { allowed: true, warnings: misplaced(metadata) };
}

function objectIn(value: unknown, field: string): Fields | string {
  return isObject(value) ? value : `${field} must be an object`;
}

function errorsIn(object: Fields, isPod: boolean, allowedHosts: readonly string[]): readonly FieldError[] {
  const addresses = isPod ? podAddresses(object['status']) : [];
  return podSourcesOf(object, isPod).flatMap(({ prefix, metadata, spec }) => {
    // A template need not have metadata. What is in it is not checked by this type: the reader takes it for unknown.
    const read = parseProbes({ metadata: metadata ?? {}, spec } as unknown as Pod);
    const errors = read.ok
      ? foreignHosts(read.value, addresses, allowedHosts).map((foreign) => forbidden(probeField, hostRefusal(foreign)))
      : read.errors;
    return errors.map((error) => ({ ...error, field: `${prefix}${error.field}` }));
  });
}

/** What was stored unchecked must still be possible to change: labels, finalizers, the number of replicas. */
function isOldMistake(
  review: ReviewRequest,
  errors: readonly FieldError[],
  found: (object: Fields) => readonly FieldError[],
): boolean {
  if (review.operation !== 'UPDATE') return false;
  const old = objectIn(review.oldObject, 'request.oldObject');
  return typeof old !== 'string' && sameJson(found(old), errors);
}

/** Only pods are probed, so that only there the annotation means something. */
function misplaced(metadata: Fields): readonly string[] {
  const { annotations } = metadata;
  if (!isObject(annotations) || !Object.hasOwn(annotations, annotation.disruptionProbe)) return [];
  const field = annotationField(annotation.disruptionProbe);
  return [`${field} has no effect here: move it to the metadata of the pod template`];
}

function kindOf({ kind }: Fields, { resource }: ReviewRequest): string {
  return typeof kind === 'string' ? kind : resource;
}

/** A create whose name the server chooses has only the beginning of one. */
function nameOf({ name, generateName }: Fields, review: ReviewRequest): string {
  if (review.name !== '') return review.name;
  const known = isUnset(name) ? generateName : name;
  return typeof known === 'string' ? known : '';
}
