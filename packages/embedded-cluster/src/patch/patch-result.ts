import { ApiError } from '../errors.ts';

export type PatchResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ApiError };

/** Runs code that refuses by throwing an ApiError, deep inside a recursion, and turns that into an outcome. */
export function attempt<T>(run: () => T): PatchResult<T> {
  try {
    return { ok: true, value: run() };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, error };
    throw error;
  }
}

/** The API server keeps to itself why a patch that is well-formed does not apply. */
export function doesNotApply(): ApiError {
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  });
}

/** A failure for which the API server has no status of its own: the bare text, without a reason. */
export function unclassified(message: string): ApiError {
  return new ApiError({ code: 500, message });
}
