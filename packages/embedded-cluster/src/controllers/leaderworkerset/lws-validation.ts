import { type FieldError, invalid } from '@holdfast/base/field-errors';
import { dns1035LabelProblems } from '../../kinds/builtin/checks/syntax.ts';
import { scaled } from '../common/amounts.ts';
import * as keys from './keys.ts';
import { groupsOf, type LwsObject, rollingUpdateOf, type SubGroupPolicy, sizeOf } from './lws-object.ts';

const maxPods = 2_147_483_647;
const subGroupField = 'spec.leaderWorkerTemplate.SubGroupPolicy.subGroupSize';
const rollingField = 'spec.rolloutStrategy.rollingUpdateConfiguration';

/** What a LeaderWorkerSet must be beyond its schema. */
export function validateLws(lws: LwsObject): readonly FieldError[] {
  const replicas = groupsOf(lws);
  const size = sizeOf(lws);
  const errors = dns1035LabelProblems(lws.metadata.name).map((why) => invalid('metadata.name', lws.metadata.name, why));
  if (replicas < 0) errors.push(invalid('spec.replicas', replicas, 'replicas must be equal or greater than 0'));
  if (size < 1) {
    errors.push(invalid('spec.leaderWorkerTemplate.size', size, 'size must be equal or greater than 1'));
  }
  if (replicas * size > maxPods) {
    const why = `the product of replicas and worker replicas must not exceed ${maxPods}`;
    errors.push(invalid('spec.replicas', replicas, why));
  }
  return [...errors, ...rollingErrors(lws), ...subGroupErrors(lws)];
}

export function validateLwsUpdate(lws: LwsObject, old: LwsObject): readonly FieldError[] {
  const now = lws.spec.leaderWorkerTemplate.subGroupPolicy;
  const before = old.spec.leaderWorkerTemplate.subGroupPolicy;
  if (now && before) {
    if (now.subGroupSize === before.subGroupSize) return [];
    return [invalid(subGroupField, now.subGroupSize, 'field is immutable')];
  }
  if (now)
    return [invalid(subGroupField, now.subGroupSize, 'cannot enable subGroupSize after the lws is already created')];
  return before ? [invalid(subGroupField, before.subGroupSize, 'cannot remove subGroupSize after enabled')] : [];
}

function rollingErrors(lws: LwsObject): readonly FieldError[] {
  const { maxUnavailable, maxSurge, partition } = rollingUpdateOf(lws);
  const replicas = groupsOf(lws);
  const errors = [
    ...amountErrors(maxUnavailable, `${rollingField}.maxUnavailable`),
    ...amountErrors(maxSurge, `${rollingField}.maxSurge`),
  ];
  if (partition < 0) errors.push(invalid(`${rollingField}.partition`, partition, notNegative));
  const stuck = scaled(maxUnavailable, replicas, 'down') === 0 && scaled(maxSurge, replicas, 'up') === 0;
  if (stuck && replicas !== 0) {
    errors.push(invalid(`${rollingField}.maxUnavailable`, maxUnavailable, 'must not be 0 when `maxSurge` is 0'));
  }
  return errors;
}

const notNegative = 'must be greater than or equal to 0';
const percentage = /^([0-9]+)%$/;
const notAPercentage =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

function amountErrors(amount: number | string, field: string): FieldError[] {
  if (typeof amount === 'number') return amount < 0 ? [invalid(field, amount, notNegative)] : [];
  const percent = percentage.exec(amount)?.[1];
  if (percent === undefined) return [invalid(field, amount, notAPercentage)];
  return Number(percent) > 100 ? [invalid(field, amount, 'must not be greater than 100%')] : [];
}

function subGroupErrors(lws: LwsObject): readonly FieldError[] {
  const policy = lws.spec.leaderWorkerTemplate.subGroupPolicy;
  if (policy) return policyErrors(policy, sizeOf(lws));
  const topology = lws.metadata.annotations?.[keys.subGroupExclusiveTopology];
  if (topology === undefined) return [];
  const field = `metadata.annotations.${keys.subGroupExclusiveTopology}`;
  return [invalid(field, topology, 'cannot have subgroup-exclusive-topology without subGroupSize set')];
}

function policyErrors({ subGroupSize = 0, subGroupPolicyType }: SubGroupPolicy, size: number): readonly FieldError[] {
  const error = (why: string): FieldError => invalid(subGroupField, subGroupSize, why);
  if (subGroupSize < 1) return [error('subGroupSize must be equal or greater than 1')];
  const divides = size % subGroupSize === 0;
  const dividesWorkers = (size - 1) % subGroupSize === 0;
  return [
    ...(divides || dividesWorkers ? [] : [error('size or size - 1 must be divisible by subGroupSize')]),
    ...(size < subGroupSize ? [error('subGroupSize cannot be larger than size')] : []),
    ...(subGroupPolicyType === 'LeaderExcluded' && !dividesWorkers
      ? [error('size-1 must be divisible by subGroupSize when using LeaderExcluded')]
      : []),
  ];
}
