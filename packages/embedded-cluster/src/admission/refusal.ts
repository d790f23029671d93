import { ApiError, forbidden, type ResourceName, type StatusCause } from '../errors.ts';
import type { KubeObject } from '../objects.ts';
import type { AdmissionRequest } from './admission.ts';

export function resourceOf(request: AdmissionRequest): ResourceName {
  return { group: request.type.group, resource: request.type.plural };
}

/** 403 in the words of admission: a name that is not decided yet is told by what it will start with. */
export function refuse(request: AdmissionRequest, why: string, causes?: readonly StatusCause[]): ApiError {
  const refusal = forbidden(resourceOf(request), request.name || nameOf(request.object), why);
  if (!causes) return refusal;
  return new ApiError({ ...refusal.status, details: { ...refusal.status.details, causes } });
}

function nameOf(object: KubeObject | undefined): string {
  return object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
}
