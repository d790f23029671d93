import type { Condition } from '@holdfast/base/meta';
import type { ConditionCode, RefusalCode, WarningCode } from '../../api/refusals/reasons.ts';

/** Something that the author of a budget should hear of once, when it begins. */
export interface StatusWarning {
  readonly code: WarningCode | ConditionCode | RefusalCode;
  readonly message: string;
}

const wrongConditions = [
  'MissingGroupLabel',
  'UnreachableMinReadyReplicas',
  'MinReadyReplicasBelowSize',
  'UnitsForgettable',
  'WorkloadNotFound',
  'TooManyBudgets',
] as const;
const wrongReasons = ['GroupNotResolved', 'BudgetInvalid', 'TooManyBudgets'] as const;

/** What turned wrong with a PodUnavailableBudget, from what its status said before to what it says now. */
export function pubWarnings(
  before: readonly Condition[] | undefined,
  after: readonly Condition[],
): readonly StatusWarning[] {
  const warnings: StatusWarning[] = [];
  for (const code of wrongConditions) {
    const is = after.find((one) => one.type === code && one.status === 'True');
    const was = before?.some((one) => one.type === code && one.status === 'True') === true;
    if (is !== undefined && !was) warnings.push({ code, message: is.message ?? '' });
  }
  const invalid = after.find(isInvalid);
  if (invalid !== undefined && before?.some(isInvalid) !== true) {
    warnings.push({ code: 'BudgetInvalid', message: invalid.message ?? '' });
  }
  return warnings;
}

function isInvalid({ type, reason }: Condition): boolean {
  return type === 'Enforced' && reason === 'BudgetInvalid';
}

/** Everything there is to warn of about a PodDisruptionBudget. */
export function pdbWarnings(
  warnings: readonly StatusWarning[],
  condition: Condition | undefined,
): readonly StatusWarning[] {
  const wrong = wrongReasons.find((code) => code === condition?.reason);
  return wrong === undefined ? warnings : [...warnings, { code: wrong, message: condition?.message ?? '' }];
}

/**
 * Which of them were not reported yet. What this process remembers counts; when it is new, what its predecessor left on the
 * object: a message has the texts of its warnings in it, with other numbers perhaps.
 */
export function unreportedWarnings(
  warnings: readonly StatusWarning[],
  remembered: ReadonlySet<string> | undefined,
  before: Condition | undefined,
): readonly StatusWarning[] {
  if (remembered !== undefined) return warnings.filter(({ code }) => !remembered.has(code));
  const said = numberless(before?.message ?? '');
  return warnings.filter(({ code, message }) => code !== before?.reason && !said.includes(numberless(message)));
}

function numberless(text: string): string {
  return text.replace(/[0-9]+/g, '#');
}
