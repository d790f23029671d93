import { isObject } from '@holdfast/base/json';
import { ApiError, type StatusCause, type StatusDetails } from '../../errors.ts';

/** A webhook's refusal as the client gets it: the webhook's own status, with its name before the message. */
export function refusalOf(webhook: string, status: Readonly<Record<string, unknown>> = {}): ApiError {
  const denied = `admission webhook "${webhook}" denied the request`;
  const message = text(status['message']);
  const reason = text(status['reason']);
  const why = message || reason;
  const details = detailsOf(status['details']);
  return new ApiError({
    code: Math.max(400, integer(status['code']) ?? 400),
    ...(reason === '' ? {} : { reason }),
    message: why === '' ? `${denied} without explanation` : `${denied}: ${why}`,
    ...(details ? { details } : {}),
  });
}

function detailsOf(source: unknown): StatusDetails | undefined {
  if (!isObject(source)) return undefined;
  const retryAfterSeconds = integer(source['retryAfterSeconds']);
  const causes = Array.isArray(source['causes']) ? source['causes'].filter(isObject).map(causeOf) : [];
  return {
    ...texts(source, ['name', 'group', 'kind', 'uid']),
    ...(causes.length === 0 ? {} : { causes }),
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  };
}

function causeOf(source: Readonly<Record<string, unknown>>): StatusCause {
  return texts(source, ['reason', 'message', 'field']);
}

function texts(source: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field, text(source[field])]).filter(([, value]) => value !== ''));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}
