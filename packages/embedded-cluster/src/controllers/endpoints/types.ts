/** The objects that the endpoints of services are made of. */

import type { EndpointAddress, ServicePort, ServiceSpec } from 'kubernetes-types/core/v1.js';
import type { Endpoint, EndpointPort } from 'kubernetes-types/discovery/v1.js';
import type { KubeObject } from '../../objects.ts';

export type ServiceObject = KubeObject & { spec: ServiceSpec };
export type Family = 'IPv4' | 'IPv6';

export type SliceObject = KubeObject & {
  addressType: string;
  endpoints?: Endpoint[] | null;
  ports?: EndpointPort[] | null;
};

/** A port of a service as one pod serves it. */
export interface ResolvedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/** What one pod adds to a slice of one address family. */
export interface SliceMember {
  readonly family: Family;
  readonly ports: readonly ResolvedPort[];
  readonly endpoint: Endpoint;
}

/** What one pod adds to the service's Endpoints. */
export interface AddressMember {
  readonly address: EndpointAddress;
  readonly ready: boolean;
  readonly ports: readonly ResolvedPort[];
}

export type { Endpoint, ServicePort };
