import { type FieldError, failed, type Parsed, parsed, required } from '@holdfast/base/field-errors';
import { type Amount, parseAmount } from '@holdfast/base/int-or-string';
import { type Fields, isUnset } from '@holdfast/base/json';
import { parseSelector, type Selector } from '@holdfast/base/labels/label-selector';
import type { StringMap } from '@holdfast/base/meta';
import { annotation } from '../names.ts';
import { parseTakeover } from '../takeover.ts';
import { defaultProtectOperations, type PodUnavailableBudget, type ProtectOperation } from './pub.ts';
import { parseOperationsAnnotation, parseTotalReplicasAnnotation } from './pub-annotations.ts';
import {
  type GroupRule,
  parseGroupPolicy,
  parseOperationsField,
  parseTotalReplicasField,
  takeApart,
} from './pub-fields.ts';
import { type PubTarget, parseTarget } from './pub-target.ts';

/** What a PodUnavailableBudget says, whichever version and spelling it was written in. */
export interface PubRules {
  readonly target: PubTarget;
  /** At least one of the two is there; both only together with `groups`, and then both hold. */
  readonly maxUnavailable?: Amount;
  readonly minAvailable?: Amount;
  readonly operations: ReadonlySet<ProtectOperation>;
  readonly totalReplicas?: number;
  /** Pods that this budget leaves alone. Never empty: no requirement at all would mean every pod. */
  readonly ignored?: Selector;
  readonly groups?: GroupRule;
  /** False: evictions of its pods go through the API server's own check (P9). */
  readonly takeover: boolean;
}

/**
 * Reads a stored object. It may be older than our validation, so of two settings that exclude each other one wins, and
 * the other is not looked at; what is looked at and wrong is an error.
 */
export function readPub(pub: PodUnavailableBudget): Parsed<PubRules> {
  const parts = takeApart(pub);
  if (!parts.ok) return parts;
  const { spec, annotations } = parts.value;
  const target = parseTarget(spec);
  const groups = parseGroupPolicy(spec['podGroupPolicy']);
  const amounts = readAmounts(spec);
  const operations = readOperations(spec, annotations);
  const totalReplicas = readTotalReplicas(spec, annotations);
  const ignored = readIgnored(spec['ignoredPodSelector']);
  const takeover = parseTakeover(pub);
  if (!(target.ok && groups.ok && amounts.ok && operations.ok && totalReplicas.ok && ignored.ok && takeover.ok)) {
    return failed(...errorsOf(target, amounts, operations, totalReplicas, ignored, groups, takeover));
  }
  return parsed({
    target: target.value,
    ...amounts.value,
    operations: new Set(operations.value),
    ...(totalReplicas.value === undefined ? {} : { totalReplicas: totalReplicas.value }),
    ...(ignored.value === undefined ? {} : { ignored: ignored.value }),
    ...(groups.value === undefined ? {} : { groups: groups.value }),
    takeover: takeover.value,
  });
}

function errorsOf(...results: readonly Parsed<unknown>[]): readonly FieldError[] {
  return results.flatMap((result) => (result.ok ? [] : result.errors));
}

interface Amounts {
  readonly maxUnavailable?: Amount;
  readonly minAvailable?: Amount;
}

function readAmounts({ maxUnavailable, minAvailable, podGroupPolicy }: Fields): Parsed<Amounts> {
  if (maxUnavailable === undefined && minAvailable === undefined) {
    const detail = 'no maxUnavailable or minAvailable defined in PodUnavailableBudget';
    return failed(required('spec.maxUnavailable, minAvailable', detail));
  }
  const max = maxUnavailable === undefined ? undefined : parseAmount(maxUnavailable, 'spec.maxUnavailable');
  const wantsMin = minAvailable !== undefined && (max === undefined || !isUnset(podGroupPolicy));
  const min = wantsMin ? parseAmount(minAvailable, 'spec.minAvailable') : undefined;
  if (max?.ok === false || min?.ok === false) {
    return failed(...errorsOf(...[max, min].filter((result) => result !== undefined)));
  }
  return parsed({
    ...(max === undefined ? {} : { maxUnavailable: max.value }),
    ...(min === undefined ? {} : { minAvailable: min.value }),
  });
}

function readOperations(spec: Fields, annotations: StringMap): Parsed<readonly ProtectOperation[]> {
  const fromSpec = parseOperationsField(spec['protectOperations']);
  if (!fromSpec.ok || fromSpec.value.length > 0) return fromSpec;
  const text = annotations[annotation.pubProtectOperations];
  return text === undefined ? parsed(defaultProtectOperations) : parseOperationsAnnotation(text);
}

function readTotalReplicas(spec: Fields, annotations: StringMap): Parsed<number | undefined> {
  const fromSpec = parseTotalReplicasField(spec['protectTotalReplicas']);
  if (!fromSpec.ok || fromSpec.value !== undefined) return fromSpec;
  const text = annotations[annotation.pubProtectTotalReplicas];
  return text === undefined ? parsed(undefined) : parseTotalReplicasAnnotation(text);
}

function readIgnored(source: unknown): Parsed<Selector | undefined> {
  if (isUnset(source)) return parsed(undefined);
  const result = parseSelector(source, 'spec.ignoredPodSelector');
  return result.ok && result.value.length === 0 ? parsed(undefined) : result;
}
