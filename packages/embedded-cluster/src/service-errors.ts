import { type ApiError, internalError, invalidObject } from './errors.ts';

export function alreadyAllocated(service: string, address: string): ApiError {
  return invalidObject({ group: '', kind: 'Service' }, service, [
    {
      type: 'FieldValueInvalid',
      field: 'spec.clusterIPs',
      value: [address],
      detail: `failed to allocate IP ${address}: provided IP is already allocated`,
    },
  ]);
}

export function noAddressLeft(service: string): ApiError {
  return internalError(`failed to allocate an address for service ${service}: range is full`);
}
