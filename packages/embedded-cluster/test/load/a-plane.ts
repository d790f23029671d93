import { type ControlPlane, createControlPlane } from '../../src/control-plane.ts';
import { startApiControllers } from '../../src/controllers/all.ts';
import type { SnapshotObject } from '../../src/load/load-object.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { seededRandom } from '../../src/time/random.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';

/** A control plane as it is before anything has been put into it; only definitions of kinds are being served. */
export function anEmptyPlane(): ControlPlane {
  const [clock, random] = [new VirtualClock(), seededRandom(1)];
  const plane = createControlPlane({ store: createMemoryStore({ freeze: true }), clock, random });
  const report = (controller: string, key: string, error: unknown) => {
    throw new Error(`${controller}: ${key}`, { cause: error });
  };
  startApiControllers({ view: plane.view, clock, random, clientFor: plane.controllerClient, report }, plane);
  return plane;
}

export function aSnapshot(apiVersion: string, kind: string, name: string, fields: object = {}): SnapshotObject {
  const { metadata, ...others } = fields as { metadata?: object };
  return { apiVersion, kind, metadata: { name, ...metadata }, ...others };
}

/** A pod as it runs somewhere else. */
export function aRunningPod(name: string, fields: { metadata?: object; spec?: object } = {}): SnapshotObject {
  return aSnapshot('v1', 'Pod', name, {
    metadata: {
      namespace: 'shop',
      uid: `uid-of-${name}`,
      creationTimestamp: '2026-01-02T03:04:05Z',
      resourceVersion: '99887766',
      ...fields.metadata,
    },
    spec: { nodeName: 'worker-1', containers: [{ name: 'main', image: 'app:1' }], ...fields.spec },
    status: {
      phase: 'Running',
      podIP: '10.0.0.7',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T03:04:09Z' }],
    },
  });
}
