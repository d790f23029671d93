import { describe, expect, it } from 'vitest';
import type { Schema } from '../../src/kinds/schema.ts';
import type { KubeObject } from '../../src/objects.ts';
import { type Application, type ApplyOutcome, applyConfiguration } from '../../src/patch/apply-configuration.ts';
import { trackUpdate } from '../../src/patch/fields/managed-fields.ts';
import type { JsonMap } from '../../src/patch/json-tree.ts';
import { deploymentSchema, podSchema, serviceSchema } from './schemas.ts';

const at = (seconds: number) => `2026-01-01T00:00:${String(seconds).padStart(2, '0')}Z`;

/** One object, and its writers. Each write happens a second after the last. */
class Story {
  live: KubeObject | undefined;
  readonly #schema: Schema | undefined;
  readonly #type: { apiVersion: string; kind: string };
  #now = 0;

  constructor(kind: string, schema: Schema | undefined, apiVersion = 'v1') {
    this.#schema = schema;
    this.#type = { apiVersion, kind };
  }

  apply(manager: string, fields: JsonMap, options: Partial<Application> = {}): ApplyOutcome {
    const outcome = applyConfiguration({
      live: this.live,
      applied: this.#named(fields),
      manager,
      force: false,
      apiVersion: this.#type.apiVersion,
      time: at(this.#now),
      schema: this.#schema,
      ...options,
    });
    this.#now += 1;
    if (outcome.ok) this.live = { ...outcome.object, metadata: { ...outcome.object.metadata, uid: 'u' } };
    return outcome;
  }

  update(manager: string, fields: JsonMap, subresource?: string): void {
    const next = { ...this.#named(fields) } as unknown as KubeObject;
    const metadata = { ...next.metadata, uid: 'u' };
    const managedFields = trackUpdate({
      live: this.live,
      next: { ...next, metadata },
      manager,
      apiVersion: this.#type.apiVersion,
      subresource,
      time: at(this.#now),
      schema: this.#schema,
    });
    this.#now += 1;
    this.live = { ...next, metadata: { ...metadata, ...(managedFields && { managedFields }) } };
  }

  /** What the object says, without what all objects say. */
  get fields(): JsonMap {
    const { apiVersion: _, kind: __, metadata, ...rest } = this.live ?? { metadata: {} };
    const { name, namespace, uid, managedFields, ...others } = (metadata ?? {}) as JsonMap;
    return Object.keys(others).length === 0 ? rest : { metadata: others, ...rest };
  }

  fieldsOf(manager: string, operation = 'Apply'): unknown {
    return this.live?.metadata.managedFields?.find(
      (entry) => entry.manager === manager && entry.operation === operation,
    )?.fieldsV1;
  }

  #named({ metadata, ...fields }: JsonMap): JsonMap {
    return { ...this.#type, metadata: { name: 'x', namespace: 'default', ...(metadata as JsonMap) }, ...fields };
  }
}

const pod = () => new Story('Pod', podSchema);
const deployment = () => new Story('Deployment', deploymentSchema, 'apps/v1');
const container = (name: string, rest: JsonMap = {}) => ({ name, ...rest });
const containers = (...list: JsonMap[]) => ({ spec: { containers: list } });

describe('applying', () => {
  it('creates an object that the applier manages', () => {
    const story = deployment();
    expect(story.apply('a', { spec: { replicas: 1 } })).toMatchObject({
      ok: true,
      changed: true,
      object: {
        metadata: {
          managedFields: [
            {
              manager: 'a',
              operation: 'Apply',
              apiVersion: 'apps/v1',
              time: at(0),
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:spec': { 'f:replicas': {} } },
            },
          ],
        },
        spec: { replicas: 1 },
      },
    });
  });

  it('does nothing the second time, not even to the time', () => {
    const story = pod();
    story.apply('a', containers(container('x', { image: '1', ports: [{ containerPort: 80 }] })));
    const before = story.live;
    const again = story.apply('a', containers(container('x', { image: '1', ports: [{ containerPort: 80 }] })));
    expect(again).toMatchObject({ ok: true, changed: false });
    expect(story.live).toEqual(before);
  });

  it('merges items by key, and leaves those of others', () => {
    const story = pod();
    story.apply('a', containers(container('x', { image: '1' })));
    story.apply('b', containers(container('y', { image: '2' }), container('x', { args: ['-v'] })));
    expect(story.fields).toEqual(
      containers(container('y', { image: '2' }), container('x', { image: '1', args: ['-v'] })),
    );
  });

  it('removes what it applied and applies no longer', () => {
    const story = pod();
    story.apply('a', {
      metadata: { labels: { a: '1', b: '1' } },
      ...containers(container('x'), container('y', { image: '1' })),
    });
    story.apply('a', { metadata: { labels: { a: '1' } }, ...containers(container('x')) });
    expect(story.fields).toEqual({ metadata: { labels: { a: '1' } }, ...containers(container('x')) });
  });

  it('removes a map with its last key', () => {
    const story = pod();
    story.apply('a', { metadata: { labels: { a: '1' } }, spec: { nodeName: 'n' } });
    story.apply('a', { spec: { nodeName: 'n' } });
    expect(story.fields).toEqual({ spec: { nodeName: 'n' } });
  });

  it('keeps what another applier applies too', () => {
    const story = pod();
    story.apply('a', { metadata: { labels: { a: '1' } } });
    story.apply('b', { metadata: { labels: { a: '1' } } });
    story.apply('a', {});
    expect(story.fields).toEqual({ metadata: { labels: { a: '1' } } });
    expect(story.fieldsOf('a')).toBeUndefined();
  });

  it('keeps what an updater took over', () => {
    const story = deployment();
    story.apply('a', { spec: { replicas: 1, paused: true } });
    story.update('scaler', { spec: { replicas: 5, paused: true } });
    expect(story.fieldsOf('a')).toEqual({ 'f:spec': { 'f:paused': {} } });
    expect(story.apply('a', { spec: { paused: true } }).ok).toBe(true);
    expect(story.fields).toEqual({ spec: { replicas: 5, paused: true } });
  });

  it('keeps an item in which others have a field, without the fields of its own', () => {
    const story = pod();
    story.apply('a', containers(container('x', { image: '1' })));
    story.apply('b', containers(container('x', { args: ['-v'] })));
    story.apply('a', {});
    expect(story.fields).toEqual(containers(container('x', { args: ['-v'] })));
  });

  it('replaces atomic lists and maps as a whole', () => {
    const story = pod();
    story.apply('a', { spec: { nodeSelector: { a: '1' }, tolerations: [{ key: 'a' }, { key: 'b' }] } });
    story.apply('a', { spec: { nodeSelector: { b: '2' }, tolerations: [{ key: 'c' }] } });
    expect(story.fields).toEqual({ spec: { nodeSelector: { b: '2' }, tolerations: [{ key: 'c' }] } });
  });

  it('merges sets', () => {
    const story = pod();
    story.apply('a', { metadata: { finalizers: ['a', 'b'] } });
    story.apply('b', { metadata: { finalizers: ['c', 'b'] } });
    expect(story.fields).toEqual({ metadata: { finalizers: ['a', 'c', 'b'] } });
    story.apply('a', { metadata: { finalizers: ['b'] } });
    expect(story.fields).toEqual({ metadata: { finalizers: ['c', 'b'] } });
  });

  it('orders items as applied', () => {
    const story = pod();
    story.apply('a', containers(container('x'), container('y'), container('z')));
    story.apply('a', containers(container('z'), container('x'), container('y')));
    expect(story.fields).toEqual(containers(container('z'), container('x'), container('y')));
  });

  it('tells items apart by all their keys and defaults', () => {
    const story = new Story('Service', serviceSchema);
    story.apply('a', { spec: { ports: [{ port: 53 }, { port: 53, protocol: 'UDP', name: 'u' }] } });
    story.apply('a', {
      spec: {
        ports: [
          { port: 53, protocol: 'TCP', name: 't' },
          { port: 53, protocol: 'UDP' },
        ],
      },
    });
    expect(story.fields).toEqual({
      spec: {
        ports: [
          { port: 53, protocol: 'TCP', name: 't' },
          { port: 53, protocol: 'UDP' },
        ],
      },
    });
  });

  it('treats what has no schema as maps of atomic lists', () => {
    const story = new Story('Thing', undefined, 'example.com/v1');
    story.apply('a', { spec: { map: { a: 1, b: 2 }, list: [{ name: 'x' }] } });
    story.apply('a', { spec: { map: { b: 2 }, list: [{ name: 'y' }] } });
    expect(story.fields).toEqual({ spec: { map: { b: 2 }, list: [{ name: 'y' }] } });
    expect(story.fieldsOf('a')).toEqual({ 'f:spec': { '.': {}, 'f:list': {}, 'f:map': { '.': {}, 'f:b': {} } } });
  });

  it('keeps the fields of one applier in all its versions together', () => {
    const story = pod();
    story.apply('a', { spec: { nodeName: 'n' } });
    story.apply('a', { metadata: { labels: { a: '1' } } }, { apiVersion: 'v2' });
    expect(story.live?.metadata.managedFields).toHaveLength(1);
    expect(story.fields).toEqual({ metadata: { labels: { a: '1' } } });
  });

  it('never manages what identifies an object, nor fields that the request cannot change', () => {
    const story = pod();
    story.apply(
      'a',
      { metadata: { uid: 'u' }, spec: { nodeName: 'n' }, status: { phase: 'x' } },
      { resetFields: [['status']] },
    );
    expect(story.fieldsOf('a')).toEqual({ 'f:spec': { 'f:nodeName': {} } });
  });

  it('gives an object without managers to a placeholder manager first', () => {
    const story = deployment();
    story.live = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'x', namespace: 'default', uid: 'u' },
      spec: { replicas: 1, paused: true },
    };
    expect(story.apply('a', { spec: { replicas: 2 } })).toMatchObject({
      ok: false,
      conflicts: [{ manager: 'before-first-apply', operation: 'Update', fields: ['.spec.replicas'] }],
    });
    expect(story.apply('a', { spec: { replicas: 1 } }).ok).toBe(true);
    expect(story.fieldsOf('before-first-apply', 'Update')).toEqual({
      'f:spec': { '.': {}, 'f:paused': {}, 'f:replicas': {} },
    });
  });

  it('leaves its inputs alone', () => {
    const story = pod();
    story.apply('a', { metadata: { labels: { a: '1', b: '1' } }, ...containers(container('x', { image: '1' })) });
    const applied = { metadata: { labels: { b: '2' } }, ...containers(container('x', { args: [] })) };
    const live = story.live;
    const before = JSON.stringify([live, applied]);
    story.apply('a', applied);
    expect(JSON.stringify([live, applied])).toBe(before);
  });
});

describe('conflicts', () => {
  it('are refused with who manages the field, and in which version', () => {
    const story = deployment();
    story.update('kubectl-edit', { spec: { replicas: 1 } });
    const outcome = story.apply('a', { spec: { replicas: 2 } });
    expect(outcome).toMatchObject({
      ok: false,
      conflicts: [
        {
          manager: 'kubectl-edit',
          operation: 'Update',
          apiVersion: 'apps/v1',
          subresource: '',
          time: at(0),
          fields: ['.spec.replicas'],
        },
      ],
      error: {
        status: {
          code: 409,
          reason: 'Conflict',
          message: 'Apply failed with 1 conflict: conflict with "kubectl-edit" using apps/v1: .spec.replicas',
          details: {
            causes: [
              {
                reason: 'FieldManagerConflict',
                message: 'conflict with "kubectl-edit" using apps/v1',
                field: '.spec.replicas',
              },
            ],
          },
        },
      },
    });
  });

  it('are listed by manager', () => {
    const story = deployment();
    story.apply('b', { spec: { replicas: 1, template: { spec: containers(container('x', { image: '1' })).spec } } });
    story.update('a', { ...story.fields, status: { replicas: 1 } }, 'status');
    const outcome = story.apply('c', {
      spec: { replicas: 2, template: { spec: containers(container('x', { image: '2' })).spec } },
      status: { replicas: 2 },
    });
    expect(outcome).toMatchObject({
      error: {
        status: {
          message:
            'Apply failed with 3 conflicts: conflicts with "a" with subresource "status" using apps/v1:\n- .status.replicas\nconflicts with "b":\n- .spec.replicas\n- .spec.template.spec.containers[name="x"].image',
        },
      },
    });
  });

  it('are none between equal values', () => {
    const story = deployment();
    story.apply('a', { spec: { replicas: 1 } });
    expect(story.apply('b', { spec: { replicas: 1 } }).ok).toBe(true);
    expect(story.fieldsOf('a')).toEqual(story.fieldsOf('b'));
  });

  it('give way to force', () => {
    const story = deployment();
    story.apply('a', { spec: { replicas: 1, paused: true } });
    expect(story.apply('b', { spec: { replicas: 2 } }, { force: true }).ok).toBe(true);
    expect(story.fieldsOf('a')).toEqual({ 'f:spec': { 'f:paused': {} } });
    expect(story.fieldsOf('b')).toEqual({ 'f:spec': { 'f:replicas': {} } });
    expect(story.fields).toEqual({ spec: { replicas: 2, paused: true } });
  });

  it('are seen in atomic values as a whole', () => {
    const story = pod();
    story.apply('a', { spec: { tolerations: [{ key: 'a' }] } });
    expect(story.apply('b', { spec: { tolerations: [{ key: 'b' }] } })).toMatchObject({
      conflicts: [{ fields: ['.spec.tolerations'] }],
    });
  });
});

describe('kubectl on an object it used to manage through its annotation', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const applied = (replicas: number) =>
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'x', namespace: 'default' },
      spec: { replicas },
    });
  const upgraded = (annotated: number, live: number) => {
    const story = deployment();
    story.update('kubectl-client-side-apply', {
      metadata: { annotations: { [annotation]: applied(annotated) } },
      spec: { replicas: live },
    });
    return story;
  };

  it('may change what it applied, and the annotation follows', () => {
    const story = upgraded(1, 1);
    expect(story.apply('kubectl', { spec: { replicas: 2 } })).toMatchObject({
      ok: true,
      object: { spec: { replicas: 2 } },
    });
    expect(story.live?.metadata.annotations).toEqual({ [annotation]: `${applied(2)}\n` });
  });

  it('may not change what others changed since', () => {
    expect(upgraded(1, 3).apply('kubectl', { spec: { replicas: 2 } })).toMatchObject({ ok: false });
  });

  it('is an exception for that manager alone', () => {
    expect(upgraded(1, 1).apply('other', { spec: { replicas: 2 } })).toMatchObject({ ok: false });
  });
});

describe('a configuration', () => {
  const refused: readonly [string, JsonMap, number, string][] = [
    ['managedFields', { metadata: { managedFields: [] } }, 400, 'metadata.managedFields must be nil'],
    [
      'two items with one key',
      containers(container('x'), container('x')),
      500,
      'failed to create typed patch object (default/x; /v1, Kind=Pod): .spec.containers: duplicate entries for key [name="x"]',
    ],
    [
      'a member twice',
      { metadata: { finalizers: ['a', 'a'] } },
      500,
      'failed to create typed patch object (default/x; /v1, Kind=Pod): .metadata.finalizers: duplicate entries for key [="a"]',
    ],
    [
      'a field that is not in the schema',
      { spec: { nope: 1 } },
      500,
      'failed to create typed patch object (default/x; /v1, Kind=Pod): .spec.nope: field not declared in schema',
    ],
    [
      'an unknown field in an item of an atomic list',
      { spec: { tolerations: [{ nope: 1 }] } },
      500,
      'failed to create typed patch object (default/x; /v1, Kind=Pod): .spec.tolerations[0].nope: field not declared in schema',
    ],
    [
      'an item without its key',
      containers({ image: '1' }),
      500,
      'failed to create typed patch object (default/x; /v1, Kind=Pod): .spec.containers: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [
      'a word instead of a map',
      { spec: 'x' },
      500,
      'failed to create typed patch object (default/x; /v1, Kind=Pod): .spec: expected map, got &{x}',
    ],
    [
      'a word instead of a list',
      { spec: { containers: 'x' } },
      500,
      'failed to create typed patch object (default/x; /v1, Kind=Pod): .spec.containers: expected list, got &{x}',
    ],
    [
      'several mistakes',
      { ...containers(container('x'), container('x')), status: 'x' },
      500,
      'failed to create typed patch object (default/x; /v1, Kind=Pod): errors:\n  .spec.containers: duplicate entries for key [name="x"]\n  .status: expected map, got &{x}',
    ],
  ];

  it.each(refused)('must not have %s', (_, fields, code, message) => {
    expect(pod().apply('a', fields)).toMatchObject({ ok: false, conflicts: [], error: { status: { code, message } } });
  });

  it('may have null for nothing', () => {
    const story = pod();
    story.apply('a', { spec: { nodeName: null, containers: [] } });
    expect(story.fields).toEqual({ spec: { containers: [] } });
  });
});
