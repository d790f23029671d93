import type { Outcome } from '../../packages/holdfast/src/kube/outcome/failure.ts';

/** The value of an outcome that a test does not expect to fail. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(outcome.failure.message, { cause: outcome.failure });
}
