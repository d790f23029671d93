import { annotationField } from '@holdfast/base/annotations';
import { type FieldError, invalid, type Parsed, required } from '@holdfast/base/field-errors';
import { parseAmount } from '@holdfast/base/int-or-string';
import { type Fields, isObject, isUnset, sameJson } from '@holdfast/base/json';
import { parseSelector } from '@holdfast/base/labels/label-selector';
import type { StringMap } from '@holdfast/base/meta';
import { annotation } from '../names.ts';
import { parseTakeover } from '../takeover.ts';
import type { PodUnavailableBudget } from './pub.ts';
import { parseOperationsAnnotation, parseTotalReplicasAnnotation } from './pub-annotations.ts';
import { conflictErrors } from './pub-conflicts.ts';
import { parseGroupPolicy, parseOperationsField, parseTotalReplicasField, takeApart } from './pub-fields.ts';
import { parseTargetRef, parseTargetSelector } from './pub-target.ts';

const targetField = 'spec.selector, targetRef';
const amountField = 'spec.maxUnavailable, minAvailable';

/**
 * Every reason to refuse a PodUnavailableBudget; none when it is fine. The types are what a valid object looks like:
 * what arrives is unchecked JSON, and is treated as such.
 *
 * @param others the budgets that exist, in any namespace; the object itself among them is passed over
 * @param old the stored object, when this is an update
 */
export function validatePub(
  pub: PodUnavailableBudget,
  others: readonly PodUnavailableBudget[],
  old?: PodUnavailableBudget,
): readonly FieldError[] {
  const parts = takeApart(pub);
  if (!parts.ok) return parts.errors;
  const { spec, annotations } = parts.value;
  return [
    ...nameErrors(pub.metadata),
    ...targetErrors(spec),
    ...amountErrors(spec),
    ...errorsOf(parseOperationsField(spec['protectOperations'])),
    ...errorsOf(parseTotalReplicasField(spec['protectTotalReplicas'])),
    ...ignoredErrors(spec['ignoredPodSelector']),
    ...errorsOf(parseGroupPolicy(spec['podGroupPolicy'])),
    ...operationsAnnotationErrors(annotations),
    ...totalAnnotationErrors(annotations, spec['protectTotalReplicas']),
    ...errorsOf(parseTakeover(pub)),
    ...(old === undefined ? [] : changedTargetErrors(spec, old)),
    ...conflictErrors(pub, spec, others),
  ];
}

function errorsOf(result: Parsed<unknown>): readonly FieldError[] {
  return result.ok ? [] : result.errors;
}

function nameErrors(metadata: unknown): readonly FieldError[] {
  if (!isObject(metadata)) return [];
  return ['name', 'namespace']
    .filter((key) => metadata[key] !== undefined && typeof metadata[key] !== 'string')
    .map((key) => invalid(`metadata.${key}`, metadata[key], 'must be a string'));
}

function targetErrors({ selector, targetRef }: Fields): readonly FieldError[] {
  if (isUnset(selector) && isUnset(targetRef)) {
    return [required(targetField, 'no selector or targetRef defined in PodUnavailableBudget')];
  }
  const errors: FieldError[] = [];
  if (!isUnset(selector) && !isUnset(targetRef)) {
    errors.push(required(targetField, 'selector and targetRef are mutually exclusive'));
  }
  if (!isUnset(targetRef)) errors.push(...errorsOf(parseTargetRef(targetRef)));
  if (!isUnset(selector)) errors.push(...errorsOf(parseTargetSelector(selector)));
  return errors;
}

/** Only groups need both limits: how many may be down now, and how many must stay whatever the total becomes. */
function amountErrors({ maxUnavailable, minAvailable, podGroupPolicy }: Fields): readonly FieldError[] {
  if (maxUnavailable === undefined && minAvailable === undefined) {
    return [required(amountField, 'no maxUnavailable or minAvailable defined in PodUnavailableBudget')];
  }
  const errors: FieldError[] = [];
  if (maxUnavailable !== undefined && minAvailable !== undefined && isUnset(podGroupPolicy)) {
    errors.push(required(amountField, 'maxUnavailable and minAvailable are mutually exclusive'));
  }
  if (maxUnavailable !== undefined) errors.push(...errorsOf(parseAmount(maxUnavailable, 'spec.maxUnavailable')));
  if (minAvailable !== undefined) errors.push(...errorsOf(parseAmount(minAvailable, 'spec.minAvailable')));
  return errors;
}

function ignoredErrors(source: unknown): readonly FieldError[] {
  if (isUnset(source)) return [];
  const field = 'spec.ignoredPodSelector';
  const result = parseSelector(source, field);
  if (!result.ok) return result.errors;
  if (result.value.length > 0) return [];
  return [invalid(field, source, 'empty ignoredPodSelector is not valid for PodUnavailableBudget')];
}

function operationsAnnotationErrors(annotations: StringMap): readonly FieldError[] {
  const text = annotations[annotation.pubProtectOperations];
  return text === undefined ? [] : errorsOf(parseOperationsAnnotation(text));
}

function totalAnnotationErrors(annotations: StringMap, fromSpec: unknown): readonly FieldError[] {
  const key = annotation.pubProtectTotalReplicas;
  const text = annotations[key];
  if (text === undefined) return [];
  const result = parseTotalReplicasAnnotation(text);
  if (!result.ok) return result.errors;
  if (fromSpec === undefined || fromSpec === result.value) return [];
  return [invalid(annotationField(key), text, 'must match spec.protectTotalReplicas when both are set')];
}

function changedTargetErrors(spec: Fields, old: unknown): readonly FieldError[] {
  const before = isObject(old) && isObject(old['spec']) ? old['spec'] : {};
  const same = sameJson(spec['selector'], before['selector']) && sameJson(spec['targetRef'], before['targetRef']);
  return same ? [] : [required(targetField, 'selector and targetRef cannot be modified')];
}
