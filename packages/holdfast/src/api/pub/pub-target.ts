import { type FieldError, failed, invalid, type Parsed, parsed } from '@holdfast/base/field-errors';
import { type Fields, isObject, isUnset } from '@holdfast/base/json';
import { parseSelector, type Selector } from '@holdfast/base/labels/label-selector';
import { apiGroupOf } from '@holdfast/base/meta';

/** Which pods a PodUnavailableBudget is about. */
export type PubTarget =
  | { readonly kind: 'selector'; readonly selector: Selector }
  | { readonly kind: 'workload'; readonly group: string; readonly workloadKind: string; readonly name: string }
  | { readonly kind: 'nothing' };

/** An object from before there was validation may have both; Kruise has always followed the targetRef then. */
export function parseTarget(spec: Fields): Parsed<PubTarget> {
  if (!isUnset(spec['targetRef'])) return parseTargetRef(spec['targetRef']);
  if (!isUnset(spec['selector'])) return parseTargetSelector(spec['selector']);
  return parsed({ kind: 'nothing' });
}

export function parseTargetSelector(source: unknown): Parsed<PubTarget> {
  const result = parseSelector(source, 'spec.selector');
  if (!result.ok) return result;
  if (result.value.length > 0) return parsed({ kind: 'selector', selector: result.value });
  return failed(invalid('spec.selector', source, 'empty selector is not valid for PodUnavailableBudget.'));
}

export function parseTargetRef(source: unknown): Parsed<PubTarget> {
  if (!isObject(source)) return failed(invalid('spec.targetRef', source, 'must be an object'));
  const { apiVersion = '', kind = '', name = '' } = source;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') {
    return failed(...notText({ apiVersion, kind, name }));
  }
  if (apiVersion === '' || kind === '' || name === '') {
    return failed(invalid('spec.targetRef', source, 'empty targetRef is not valid for PodUnavailableBudget'));
  }
  if (!/^([^/]+\/)?[^/]+$/.test(apiVersion)) {
    return failed(invalid('spec.targetRef', source, `unexpected GroupVersion string: ${apiVersion}`));
  }
  return parsed({ kind: 'workload', group: apiGroupOf(apiVersion), workloadKind: kind, name });
}

function notText(fields: Fields): readonly FieldError[] {
  return Object.entries(fields)
    .filter(([, value]) => typeof value !== 'string')
    .map(([key, value]) => invalid(`spec.targetRef.${key}`, value, 'must be a string'));
}
