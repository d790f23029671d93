import type { Lease } from 'kubernetes-types/coordination/v1.js';
import type { KubeClient, ResourceName } from '../client/client.ts';
import type { Outcome } from '../outcome/failure.ts';

/** All that an election asks of the API. Every call ends within its deadline. */
export interface LeaseApi {
  get(deadlineMs: number): Promise<Outcome<Lease>>;
  create(lease: Lease, deadlineMs: number): Promise<Outcome<Lease>>;
  /** Fails with a conflict when another client wrote since the lease's resourceVersion. */
  replace(lease: Lease, deadlineMs: number): Promise<Outcome<Lease>>;
}

export const leases: ResourceName = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  namespaced: true,
};

export function leaseApi(client: KubeClient, place: { readonly namespace: string; readonly name: string }): LeaseApi {
  return {
    get: (deadlineMs) => client.get<Lease>(leases, place, { deadlineMs }),
    create: (lease, deadlineMs) => client.create<Lease>(leases, { namespace: place.namespace }, lease, { deadlineMs }),
    replace: (lease, deadlineMs) => client.replace<Lease>(leases, place, lease, { deadlineMs }),
  };
}
