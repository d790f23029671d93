import { describe, expect, test } from 'vitest';
import { formatFieldError } from '../../../base/src/field-errors.ts';
import type { Crd, CrdVersion } from '../../src/crd/crd.ts';
import { applyCrdDefaults } from '../../src/crd/crd-defaults.ts';
import { customResourceTypes } from '../../src/crd/custom-types.ts';
import type { ResourceType } from '../../src/kinds/resource-type.ts';
import type { KubeObject } from '../../src/objects.ts';
import { prune } from '../../src/schema/prune.ts';
import { widgets } from './widgets.ts';

const deps = { convertByWebhook: () => async () => [] };
const context = { clock: { now: () => 0, after: () => ({ cancel() {} }) }, lookup: () => undefined };
const nowMs = Date.parse('2026-01-01T12:00:00Z');

function typesOf(change: (version: CrdVersion, crd: Crd) => void): ResourceType[] {
  const crd = widgets((made) => {
    const version = made.spec.versions[0];
    if (version) change(version, made);
  });
  applyCrdDefaults(crd);
  return customResourceTypes(crd, deps);
}

function only(types: readonly ResourceType[]): ResourceType {
  const [type, ...others] = types;
  if (!type || others.length > 0) throw new Error(`${types.length} types`);
  return type;
}

function widget(fields: object): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a', namespace: 'default' }, ...fields };
}

test('a CRD defines a resource type', () => {
  const type = only(
    typesOf((version) => {
      version.subresources = {
        status: {},
        scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.ready' },
      };
    }),
  );
  expect(type).toMatchObject({
    key: 'example.com/widgets',
    kind: 'Widget',
    listKind: 'WidgetList',
    singular: 'widget',
    shortNames: ['wd'],
    namespaced: true,
    storageVersion: 'v1',
    conversion: { kind: 'rename' },
    custom: { crdName: 'widgets.example.com', scale: { specReplicasPath: '.spec.size' } },
  });
  expect(type.verbs).toHaveLength(8);
  expect([...type.subresources.values()]).toEqual([
    { name: 'status', kind: 'Widget', verbs: ['get', 'patch', 'update'] },
    { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['get', 'patch', 'update'] },
  ]);
});

test('versions that are neither served nor stored in are left out; a stored one that is not served has no verbs', () => {
  const types = typesOf((version, crd) => {
    version.served = false;
    crd.spec.versions.push(
      { ...version, name: 'v2', served: true, storage: false },
      { ...version, name: 'v3', storage: false },
    );
    crd.spec.conversion = { strategy: 'Webhook' };
  });
  expect(types.map((type) => [type.version, type.verbs.length, type.storageVersion, type.conversion.kind])).toEqual([
    ['v1', 0, 'v1', 'webhook'],
    ['v2', 8, 'v1', 'webhook'],
  ]);
});

test('the schema knows metadata, also what it does not', () => {
  const type = only(typesOf(() => {}));
  const object = widget({ spec: { size: 1, other: 2 }, extra: 1 });
  Object.assign(object.metadata, { labels: { a: 'b' }, foo: 1 });
  expect(prune(object, type.schema)).toEqual(['extra', 'metadata.foo', 'spec.other']);
});

describe('the rules of objects', () => {
  const withStatus = only(
    typesOf((version) => {
      version.subresources = { status: {} };
    }),
  ).strategy;
  const without = only(typesOf(() => {})).strategy;

  test('defaults come from the schema', () => {
    const draft = widget({ spec: {} });
    withStatus.applyDefaults?.(draft);
    expect(draft['spec']).toEqual({ size: 1 });
  });

  test('with a status subresource clients write the status there only', () => {
    const created = widget({ status: { ready: 1 } });
    withStatus.prepareForCreate?.(created, context);
    expect(created['status']).toBeUndefined();
    const updated = widget({ status: { ready: 1 } });
    withStatus.prepareForUpdate?.(updated, widget({ status: { ready: 2 } }), context);
    expect(updated['status']).toEqual({ ready: 2 });
    withStatus.prepareForUpdate?.(updated, widget({}), context);
    expect(updated).not.toHaveProperty('status');
    const plain = widget({ status: { ready: 1 } });
    without.prepareForCreate?.(plain, context);
    expect(plain['status']).toEqual({ ready: 1 });
  });

  test('rules wait until the object fits its schema', () => {
    const type = only(
      typesOf((version) => {
        version.schema = {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { a: { type: 'string' } },
                'x-kubernetes-validations': [{ rule: 'self.a != ""' }],
              },
            },
          },
        };
      }),
    );
    const check = (spec: unknown) => type.strategy.validate?.(widget({ spec }), context).map(formatFieldError);
    expect(check({ a: 'x' })).toEqual([]);
    expect(check({ a: '' })).toEqual(['spec: Invalid value: failed rule: self.a != ""']);
    expect(check({ a: 1 })).toEqual([
      'spec.a: Invalid value: "integer": spec.a in body must be of type string: "integer"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });

  test('the status is checked by itself', () => {
    const errors = withStatus.validateSubresource?.(
      'status',
      widget({ spec: { size: 0 }, status: { ready: 'x' } }),
      widget({}),
    );
    expect(errors?.map(formatFieldError)[0]).toBe(
      'status.ready: Invalid value: "string": ready in body must be of type integer: "string"',
    );
  });

  test('replicas of a scalable resource are counts', () => {
    const type = only(
      typesOf((version) => {
        version.schema = {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        };
        version.subresources = { scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } };
      }),
    );
    expect(type.strategy.validate?.(widget({ spec: { n: -1 } }), context).map(formatFieldError)).toEqual([
      '.spec.n: Invalid value: -1: should be a non-negative integer',
    ]);
  });

  test('selectable fields are texts', () => {
    const type = only(
      typesOf((version) => {
        version.selectableFields = [{ jsonPath: '.spec.size' }, { jsonPath: '.spec.none' }];
      }),
    );
    expect(type.custom?.selectableFields).toEqual(['spec.size', 'spec.none']);
    expect(type.strategy.selectableFields?.(widget({ spec: { size: 3 } }))).toEqual({
      'spec.size': '3',
      'spec.none': '',
    });
  });

  test('finalizers without a domain get a warning', () => {
    const object = widget({});
    object.metadata.finalizers = ['mine', 'example.com/ok', 'example.com', 'orphan'];
    expect(without.warnings?.(object, undefined)).toEqual([
      'metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
      'metadata.finalizers: "example.com": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    ]);
  });
});

describe('columns', () => {
  function cells(columns: CrdVersion['additionalPrinterColumns'], fields: object): readonly unknown[] {
    const type = only(
      typesOf((version) => {
        if (columns) version.additionalPrinterColumns = columns;
      }),
    );
    return type.columns.cells(widget(fields), nowMs).slice(1);
  }
  const column = (type: string, jsonPath: string) => [{ name: 'X', type, jsonPath }];
  const status = {
    conditions: [
      { type: 'Old', status: 'False' },
      { type: 'Ready', status: 'True' },
    ],
    n: 3,
    b: true,
    o: { a: 1 },
  };

  test.each<[string, string, unknown]>([
    ['integer', '.status.n', 3],
    ['string', '.status.n', '3'],
    ['boolean', '.status.b', true],
    ['string', '.status.b', 'true'],
    ['string', '.status.o', '{"a":1}'],
    ['integer', '.status.b', null],
    ['string', '.status.none.deeper', null],
    ['string', '.status.conditions[?(@.type=="Ready")].status', 'True'],
    ['string', ".status.conditions[?(@.type=='Gone')].status", null],
    ['string', '.status.conditions[0].type', 'Old'],
    ['string', '.status.conditions[-1].type', 'Ready'],
    ['string', '.status.conditions[*].type', 'Old'],
    ['string', '.metadata.labels.app\\.kubernetes\\.io/name', 'web'],
    ['string', ".metadata.labels['app.kubernetes.io/name']", 'web'],
    ['string', '.status.conditions[?(@.status!="False")].type', 'Ready'],
    ['string', '.constructor.name', null],
    ['string', '.status..broken[', null],
    ['date', '.metadata.creationTimestamp', '12h'],
    ['date', '.status.conditions[0].type', '<invalid>'],
  ])('%s %s', (type, path, expected) => {
    const metadata = {
      name: 'a',
      labels: { 'app.kubernetes.io/name': 'web' },
      creationTimestamp: '2026-01-01T00:00:00Z',
    };
    expect(cells(column(type, path), { metadata, status })).toEqual([expected]);
  });

  test('without any, the age is shown', () => {
    const metadata = { name: 'a', creationTimestamp: '2025-12-31T00:00:00Z' };
    expect(cells(undefined, { metadata })).toEqual(['36h']);
    expect(only(typesOf(() => {})).columns.definitions.map(({ name }) => name)).toEqual(['Name', 'Age']);
  });

  test.each([
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [125, '2m5s'],
    [600, '10m'],
    [3 * 3600 - 1, '179m'],
    [3 * 3600, '3h'],
    [3 * 3600 + 60, '3h1m'],
    [8 * 3600, '8h'],
    [48 * 3600, '2d'],
    [49 * 3600, '2d1h'],
    [8 * 86400, '8d'],
    [800 * 86400, '2y70d'],
    [8 * 365 * 86400, '8y'],
    [-5, '<invalid>'],
  ])('%d seconds ago is %s', (seconds, expected) => {
    const metadata = { name: 'a', creationTimestamp: new Date(nowMs - seconds * 1000).toISOString() };
    expect(cells(undefined, { metadata })).toEqual([expected]);
  });
});
