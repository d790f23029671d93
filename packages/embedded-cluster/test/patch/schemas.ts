import type { Schema } from '../../src/kinds/schema.ts';

/** Small schemas of built-in kinds: enough of each to show every way in which lists and maps are divided. */

const string: Schema = { type: 'string' };
const integer: Schema = { type: 'integer' };
const strings: Schema = { type: 'object', additionalProperties: string };

function struct(properties: Record<string, Schema>): Schema {
  return { type: 'object', properties };
}

function keyed(items: Schema, mergeKey: string, keys: readonly string[] = [mergeKey]): Schema {
  return {
    type: 'array',
    items,
    'x-kubernetes-patch-merge-key': mergeKey,
    'x-kubernetes-patch-strategy': 'merge',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
  };
}

const atomicStrings: Schema = { type: 'array', items: string, 'x-kubernetes-list-type': 'atomic' };

const metadata: Schema = struct({
  name: string,
  namespace: string,
  uid: string,
  resourceVersion: string,
  generation: integer,
  creationTimestamp: string,
  labels: strings,
  annotations: strings,
  finalizers: {
    type: 'array',
    items: string,
    'x-kubernetes-list-type': 'set',
    'x-kubernetes-patch-strategy': 'merge',
  },
  ownerReferences: keyed({ ...struct({ uid: string, name: string }), 'x-kubernetes-map-type': 'atomic' }, 'uid'),
  managedFields: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'atomic' },
});

const container: Schema = struct({
  name: string,
  image: string,
  args: atomicStrings,
  env: keyed(struct({ name: string, value: string }), 'name'),
  ports: keyed(
    struct({ containerPort: integer, protocol: { type: 'string', default: 'TCP' }, name: string }),
    'containerPort',
    ['containerPort', 'protocol'],
  ),
  resources: struct({ limits: strings, requests: strings }),
  securityContext: struct({ privileged: { type: 'boolean' } }),
});

const volume: Schema = struct({
  name: string,
  emptyDir: struct({ medium: string }),
  configMap: struct({ name: string }),
});

const podSpec: Schema = struct({
  containers: keyed(container, 'name'),
  volumes: {
    ...keyed(volume, 'name'),
    'x-kubernetes-patch-strategy': 'merge,retainKeys',
  },
  nodeSelector: { ...strings, 'x-kubernetes-map-type': 'atomic' },
  tolerations: { type: 'array', items: struct({ key: string, operator: string }), 'x-kubernetes-list-type': 'atomic' },
  nodeName: string,
});

const condition: Schema = struct({ type: string, status: string, reason: string });

function root(properties: Record<string, Schema>): Schema {
  return struct({ apiVersion: string, kind: string, metadata, ...properties });
}

export const podSchema: Schema = root({
  spec: podSpec,
  status: struct({ phase: string, conditions: keyed(condition, 'type') }),
});

export const deploymentSchema: Schema = root({
  spec: struct({
    replicas: integer,
    paused: { type: 'boolean' },
    selector: { ...struct({ matchLabels: strings }), 'x-kubernetes-map-type': 'atomic' },
    strategy: {
      ...struct({ type: string, rollingUpdate: struct({ maxSurge: { 'x-kubernetes-int-or-string': true } }) }),
      'x-kubernetes-patch-strategy': 'retainKeys',
    },
    template: struct({ metadata, spec: podSpec }),
  }),
  status: struct({ replicas: integer, conditions: keyed(condition, 'type') }),
});

export const serviceSchema: Schema = root({
  spec: struct({
    selector: { ...strings, 'x-kubernetes-map-type': 'atomic' },
    type: string,
    ports: keyed(
      struct({
        port: integer,
        protocol: { type: 'string', default: 'TCP' },
        targetPort: { 'x-kubernetes-int-or-string': true },
        name: string,
      }),
      'port',
      ['port', 'protocol'],
    ),
  }),
});
