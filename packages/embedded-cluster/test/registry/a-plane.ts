import { systemUser } from '../../src/auth/user.ts';
import { bootstrap } from '../../src/bootstrap.ts';
import type { Client } from '../../src/client.ts';
import { type ControlPlane, createControlPlane } from '../../src/control-plane.ts';
import type { KubeObject } from '../../src/objects.ts';
import type { Target } from '../../src/registry/registry.ts';
import type { WriteContext } from '../../src/registry/write-context.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { seededRandom } from '../../src/time/random.ts';
import { VirtualClock } from '../../src/time/virtual-clock.ts';

export interface APlane {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly clock: VirtualClock;
  target(resource: string, name: string, namespace?: string): Target;
}

/** A control plane without its wire. Code that changes an object of the store is caught: they are frozen. */
export async function aPlane(): Promise<APlane> {
  const clock = new VirtualClock();
  const store = createMemoryStore({ freeze: true });
  const plane = createControlPlane({ store, clock, random: seededRandom(1) });
  const client = plane.clientFor(systemUser, 'test');
  await bootstrap(client);
  await client.create('serviceaccounts', object('v1', 'ServiceAccount', 'default'));
  return {
    plane,
    client,
    clock,
    target(resource, name, namespace = 'default') {
      const type = plane.types.storage(resource);
      if (!type) throw new Error(`${resource} is not served`);
      return { type, namespace: type.namespaced ? namespace : '', name };
    },
  };
}

export function object(apiVersion: string, kind: string, name: string, fields: object = {}): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace: 'default' }, ...fields };
}

export function aPod(name: string, labels: Record<string, string> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels },
    spec: { containers: [{ name: 'main', image: 'app:1' }] },
  };
}

export function aContext(fields: Partial<WriteContext> = {}): WriteContext {
  return {
    user: systemUser,
    dryRun: false,
    fieldManager: 'test',
    fieldValidation: 'Strict',
    warnings: [],
    options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
    ...fields,
  };
}
