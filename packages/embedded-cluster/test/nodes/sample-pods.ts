import type { Container, PodSpec, PodStatus } from 'kubernetes-types/core/v1.js';
import type { PodObject } from '../../src/controllers/common/workloads.ts';
import type { Metadata } from '../../src/objects.ts';

export interface PodParts {
  readonly annotations?: Record<string, string>;
  readonly metadata?: Partial<Metadata>;
  readonly spec?: Partial<PodSpec>;
  readonly container?: Partial<Container> & Record<string, unknown>;
  readonly status?: PodStatus;
}

/** A pod on node-1 with one container, `app`, unless the parts say otherwise. */
export function podOf({ annotations, metadata, spec, container, status }: PodParts = {}): PodObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-0',
      namespace: 'default',
      ...(annotations === undefined ? {} : { annotations }),
      ...metadata,
    },
    spec: { nodeName: 'node-1', containers: [{ name: 'app', image: 'app:1', ...container }], ...spec },
    ...(status === undefined ? {} : { status }),
  };
}
