import { type FieldError, formatFieldErrors } from '@holdfast/base/field-errors';
import { formatFieldDetail } from './field-detail.ts';

/** The Status object of the Kubernetes API, as far as refusals use it. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface FailureStatus {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: StatusDetails;
}

/** Every refusal of the API server. `status` is what the client gets; it never holds anything that is not for the client. */
export class ApiError extends Error {
  readonly status: FailureStatus;

  constructor(status: FailureStatus, options?: ErrorOptions) {
    super(status.message, options);
    this.name = 'ApiError';
    this.status = status;
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): string {
    return this.status.reason ?? '';
  }
}

export interface ResourceName {
  readonly group: string;
  /** Plural, as it stands in the path. */
  readonly resource: string;
}

function qualified(of: ResourceName): string {
  return of.group === '' ? of.resource : `${of.resource}.${of.group}`;
}

function details(of: ResourceName, name: string): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(of.group === '' ? {} : { group: of.group }),
    kind: of.resource,
  };
}

export function notFound(of: ResourceName, name: string): ApiError {
  return new ApiError({
    code: 404,
    reason: 'NotFound',
    message: `${qualified(of)} "${name}" not found`,
    details: details(of, name),
  });
}

/** The path leads nowhere: no such group, version or resource. */
export function noSuchPath(): ApiError {
  return new ApiError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}

export function alreadyExists(of: ResourceName, name: string): ApiError {
  return new ApiError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${qualified(of)} "${name}" already exists`,
    details: details(of, name),
  });
}

export function conflict(of: ResourceName, name: string, why: string): ApiError {
  return new ApiError({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualified(of)} "${name}": ${why}`,
    details: details(of, name),
  });
}

export const staleObject =
  'the object has been modified; please apply your changes to the latest version and try again';

export function badRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: 'BadRequest', message });
}

export function unauthorized(): ApiError {
  return new ApiError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

export function forbidden(of: ResourceName, name: string, why: string): ApiError {
  const subject = name === '' ? qualified(of) : `${qualified(of)} "${name}"`;
  return new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: `${subject} is forbidden: ${why}`,
    details: details(of, name),
  });
}

export function methodNotAllowed(): ApiError {
  return new ApiError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });
}

export function notAcceptable(accepted: readonly string[]): ApiError {
  return new ApiError({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${accepted.join(', ')}`,
  });
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  });
}

export function tooLarge(limit: number): ApiError {
  return new ApiError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${limit}`,
  });
}

export function expired(message: string): ApiError {
  return new ApiError({ code: 410, reason: 'Expired', message });
}

export function tooManyRequests(message: string, retryAfterSeconds: number, causes?: readonly StatusCause[]): ApiError {
  return new ApiError({
    code: 429,
    reason: 'TooManyRequests',
    message,
    details: { ...(causes ? { causes } : {}), ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}) },
  });
}

export function internalError(message: string, cause?: unknown): ApiError {
  return new ApiError(
    {
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: ${message}`,
      details: { causes: [{ message }] },
    },
    { cause },
  );
}

/** A list of a million wrong items is wrong in a million places; a person does not read that many. */
const maxShownErrors = 100;

/** 422 with one cause for each field. */
export function invalidObject(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const subject = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const shown = errors.slice(0, maxShownErrors);
  const texts = shown.map((error) => formatFieldErrors([error]));
  if (errors.length > shown.length) texts.push(`and ${errors.length - shown.length} more`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `${subject} "${name}" is invalid: ${list}`,
    details: {
      ...(name === '' ? {} : { name }),
      ...(kind.group === '' ? {} : { group: kind.group }),
      ...(kind.kind === '' ? {} : { kind: kind.kind }),
      causes: shown.map((error) => ({
        reason: error.type,
        message: formatFieldDetail(error),
        field: error.field,
      })),
    },
  });
}

export function isApiError(error: unknown, code?: number): error is ApiError {
  return error instanceof ApiError && (code === undefined || error.code === code);
}
