/** The refusal of an apply that would overrule other managers. */

import { ApiError } from '../errors.ts';
import type { ManagerOperation } from './fields/managers.ts';

export interface ApplyConflict {
  readonly manager: string;
  readonly operation: ManagerOperation;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  /** Paths such as `.spec.template.spec.containers[name="web"].image`. */
  readonly fields: readonly string[];
}

/** The API server does not say in this refusal which object it is about. */
export function conflictError(conflicts: readonly ApplyConflict[]): ApiError {
  return new ApiError({
    code: 409,
    reason: 'Conflict',
    message: conflictMessage(conflicts),
    details: {
      causes: conflicts.flatMap((conflict) =>
        conflict.fields.map((field) => ({
          reason: 'FieldManagerConflict',
          message: `conflict with ${printManager(conflict)}`,
          field,
        })),
      ),
    },
  });
}

function conflictMessage(conflicts: readonly ApplyConflict[]): string {
  const count = conflicts.reduce((sum, { fields }) => sum + fields.length, 0);
  const first = conflicts[0];
  if (first !== undefined && count === 1) {
    return `Apply failed with 1 conflict: conflict with ${printManager(first)}: ${first.fields[0]}`;
  }
  const lines = conflicts.flatMap((conflict) => [
    `conflicts with ${printManager(conflict)}:`,
    ...conflict.fields.map((field) => `- ${field}`),
  ]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}

function printManager({ manager, operation, apiVersion, subresource }: ApplyConflict): string {
  const who = JSON.stringify(manager) + (subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === 'Update' ? `${who} using ${apiVersion}` : who;
}
