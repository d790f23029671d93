/** The objects that are written for a service. */

import type { EndpointSubset } from 'kubernetes-types/core/v1.js';
import type { KubeObject } from '../../objects.ts';
import { ownerReference } from '../common/owners.ts';
import { isHeadless } from './members.ts';
import type { Slice } from './slice-set.ts';
import type { Subsets } from './subsets.ts';
import type { ServiceObject, SliceObject } from './types.ts';

export const serviceNameLabel = 'kubernetes.io/service-name';
const sliceManagerLabel = 'endpointslice.kubernetes.io/managed-by';
const sliceManager = 'endpointslice-controller.k8s.io';
const endpointsManagerLabel = 'endpoints.kubernetes.io/managed-by';
const headlessLabel = 'service.kubernetes.io/headless';
const truncatedAnnotation = 'endpoints.kubernetes.io/over-capacity';

export type EndpointsObject = KubeObject & { subsets?: EndpointSubset[] };

/** Slices that others made for the same service are theirs. */
export function isOurSlice(slice: KubeObject): boolean {
  return slice.metadata.labels?.[sliceManagerLabel] === sliceManager;
}

function serviceLabels(service: ServiceObject): Record<string, string> {
  const { [headlessLabel]: _ours, ...own } = service.metadata.labels ?? {};
  return isHeadless(service) ? { ...own, [headlessLabel]: '' } : own;
}

export function sliceLabels(service: ServiceObject): Record<string, string> {
  return {
    ...serviceLabels(service),
    [sliceManagerLabel]: sliceManager,
    [serviceNameLabel]: service.metadata.name,
  };
}

export function sliceDocument(service: ServiceObject, slice: Slice): SliceObject {
  const { namespace, name } = service.metadata;
  const endpoints = [...slice.endpoints.values()];
  const contents = { addressType: slice.family, endpoints, ports: slice.ports.map((port) => ({ ...port })) };
  if (slice.object) {
    const metadata = { ...slice.object.metadata, labels: sliceLabels(service) };
    return { ...slice.object, ...contents, metadata };
  }
  const metadata = {
    // The API server names it.
    name: '',
    generateName: `${name}-`,
    ...(namespace === undefined ? {} : { namespace }),
    labels: sliceLabels(service),
    ownerReferences: [ownerReference(service)],
  };
  return { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, ...contents };
}

export function endpointsDocument(
  service: ServiceObject,
  current: EndpointsObject | undefined,
  { subsets, truncated }: Subsets,
): EndpointsObject {
  const { namespace, name } = service.metadata;
  const labels = { ...serviceLabels(service), [endpointsManagerLabel]: 'endpoint-controller' };
  const { [truncatedAnnotation]: _old, ...annotations } = current?.metadata.annotations ?? {};
  if (truncated) annotations[truncatedAnnotation] = 'truncated';
  const base = current ?? {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name, ...(namespace ? { namespace } : {}) },
  };
  const metadata = { ...base.metadata, labels, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) };
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
  return { ...base, metadata, subsets };
}
