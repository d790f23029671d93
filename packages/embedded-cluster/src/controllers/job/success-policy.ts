import type { JobObject } from '../common/workloads.ts';
import { parseIndexes } from './indexes.ts';
import type { JobOutcome } from './outcome.ts';

/** A job of indexes may be content with some of them: the first rule that is fulfilled ends it. */
export function successByPolicy(job: JobObject, succeeded: ReadonlySet<number>): JobOutcome | undefined {
  if (succeeded.size === 0) return undefined;
  const rules = job.spec.successPolicy?.rules ?? [];
  const met = rules.findIndex((rule) => isMet(rule, succeeded, job.spec.completions ?? 0));
  if (met < 0) return undefined;
  return { result: 'success', reason: 'SuccessPolicy', message: `Matched rules at index ${met}` };
}

interface SuccessRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
}

function isMet(rule: SuccessRule, succeeded: ReadonlySet<number>, completions: number): boolean {
  const { succeededCount, succeededIndexes } = rule;
  if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
  const wanted = [...parseIndexes(succeededIndexes, completions)];
  const there = wanted.filter((index) => succeeded.has(index)).length;
  return wanted.length > 0 && there >= (succeededCount ?? wanted.length);
}
