import { afterAll, describe, expect, it } from 'vitest';
import { made, testCluster } from '../support/cluster.ts';
import type { Body } from '../support/kube-http.ts';

const cluster = await testCluster();
afterAll(() => cluster.close());

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const merge = 'application/merge-patch+json';
const group = `${cluster.name('crd')}.example.com`;
const crdName = `widgets.${group}`;

const specSchema = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 10 },
    color: { type: 'string', default: 'red', enum: ['red', 'green'] },
    replicas: { type: 'integer' },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { metadata: { type: 'object', properties: { name: { type: 'string' } } } },
    },
    tags: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 }, 'x-kubernetes-list-type': 'set' },
    fixed: {
      type: 'string',
      maxLength: 10,
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is fixed' }],
    },
  },
  'x-kubernetes-validations': [
    { rule: '!has(self.replicas) || self.replicas <= self.size', message: 'no more replicas than size' },
  ],
};

const version = {
  name: 'v1',
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      required: ['spec'],
      properties: {
        spec: specSchema,
        status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
      },
    },
  },
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  additionalPrinterColumns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
  ],
  selectableFields: [{ jsonPath: '.spec.color' }],
};

function definition(more: object = {}) {
  return {
    metadata: { name: crdName },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
      versions: [version, { ...version, name: 'v2', storage: false }],
      ...more,
    },
  };
}

const isEstablished = (crd: Body) =>
  ((crd.status?.['conditions'] ?? []) as { type: string; status: string }[]).some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );

async function served(): Promise<string> {
  cluster.cleanUp(`${definitions}/${crdName}`);
  await made(cluster.request('POST', definitions, { body: definition() }));
  const watch = await cluster.watch(`${definitions}?fieldSelector=metadata.name%3D${crdName}`);
  await watch.until(({ object }) => isEstablished(object));
  watch.close();
  const path = `/apis/${group}/v1/namespaces/${cluster.namespace}/widgets`;
  // Established comes a moment before the first request is served.
  for (let attempt = 0; attempt < 100 && (await cluster.request('GET', path)).code !== 200; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return path;
}

const widgets = await served();
const widget = (name: string, spec: object = { size: 3 }) => ({
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  metadata: { name },
  spec,
});
const create = (name: string, spec?: object) => cluster.request('POST', widgets, { body: widget(name, spec) });

describe('a definition', () => {
  it('has its names accepted and is in discovery', async () => {
    const crd = await made(cluster.request('GET', `${definitions}/${crdName}`));
    expect(crd.status).toMatchObject({
      acceptedNames: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        shortNames: ['wd'],
      },
      storedVersions: ['v1'],
    });
    expect(crd.status['conditions']).toContainEqual(
      expect.objectContaining({ type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' }),
    );
    const { body } = await cluster.request('GET', `/apis/${group}/v1`);
    const names = (body['resources'] as { name: string }[]).map(({ name }) => name).sort();
    expect(names).toEqual(['widgets', 'widgets/scale', 'widgets/status']);
  });

  const refused: [string, object, string][] = [
    ['another name than its parts make', { group: 'other.example.com' }, 'must be spec.names.plural+"."+spec.group'],
    [
      'no schema',
      { versions: [{ ...version, schema: undefined }] },
      'spec.versions[0].schema.openAPIV3Schema: Required value',
    ],
    [
      'two stored versions',
      { versions: [version, { ...version, name: 'v2' }] },
      'must have exactly one version marked as storage version',
    ],
    [
      'a schema without types',
      { versions: [{ ...version, schema: { openAPIV3Schema: { properties: { spec: {} } } } }] },
      'must not be empty for specified object fields',
    ],
  ];
  it.each(refused)('is refused with %s', async (_what, more, message) => {
    const answer = await cluster.request('POST', `${definitions}?dryRun=All`, { body: definition(more) });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain(message);
  });
});

describe('a custom object', () => {
  it('has to say of which kind it is, unlike those of built-in kinds', async () => {
    const { kind: _, ...anonymous } = widget('anonymous');
    const { code, body } = await cluster.request('POST', widgets, { body: anonymous });
    expect([code, body.reason]).toEqual([400, 'BadRequest']);
    expect(body.message).toContain('the object provided is unrecognized (must be of type Widget)');
    expect(body.message).toContain("Object 'Kind' is missing in '");
    const configMaps = `/api/v1/namespaces/${cluster.namespace}/configmaps`;
    const { code: builtIn } = await cluster.request('POST', configMaps, { body: { metadata: { name: 'anonymous' } } });
    expect(builtIn).toBe(201);
  });

  it('is defaulted, pruned and counted', async () => {
    const answer = await create('first', { size: 3, nope: 1, free: { any: { thing: 1 } } });
    expect(answer.code).toBe(201);
    expect(answer.body.spec).toEqual({ size: 3, color: 'red', free: { any: { thing: 1 } } });
    expect(answer.body.metadata.generation).toBe(1);
    expect(answer.headers.warning).toBe('299 - "unknown field \\"spec.nope\\""');
    const strict = await cluster.request('POST', `${widgets}?fieldValidation=Strict`, {
      body: widget('strict', { size: 3, nope: 1 }),
    });
    expect(strict.code).toBe(400);
    expect(strict.body.message).toContain('strict decoding error: unknown field "spec.nope"');
  });

  it('knows the metadata of objects inside it, whatever its schema says', async () => {
    const metadata = { name: 'inner', namespace: 'any', labels: { a: 'b' } };
    const template = { apiVersion: 'v1', kind: 'Thing', metadata: { ...metadata, nope: 1 } };
    const answer = await create('outer', { size: 3, template });
    expect(answer.code).toBe(201);
    expect(answer.body.spec['template']).toMatchObject({ apiVersion: 'v1', kind: 'Thing', metadata });
    expect(answer.body.spec['template']).not.toHaveProperty('metadata.nope');
    expect(answer.headers.warning).toBe('299 - "unknown field \\"spec.template.metadata.nope\\""');
  });

  const refused: [string, object, string][] = [
    ['what is missing', {}, 'spec.size: Required value'],
    [
      'too small a number',
      { size: 0 },
      'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    ],
    [
      'a wrong type',
      { size: 'x' },
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    ],
    [
      'a value that is not in the list',
      { size: 1, color: 'blue' },
      'spec.color: Unsupported value: "blue": supported values: "red", "green"',
    ],
    ['what a rule forbids', { size: 1, replicas: 2 }, 'no more replicas than size'],
    ['the same thing twice in a set', { size: 1, tags: ['a', 'a'] }, 'spec.tags[1]: Duplicate value: "a"'],
  ];
  it.each(refused)('is refused with %s', async (_what, spec, message) => {
    const answer = await create('refused', spec);
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain(message);
  });

  it('keeps what a transition rule fixes', async () => {
    await made(create('fixed', { size: 1, fixed: 'a' }));
    const answer = await cluster.request('PATCH', `${widgets}/fixed`, {
      contentType: merge,
      body: { spec: { fixed: 'b' } },
    });
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain('spec.fixed: Invalid value: "b": fixed is fixed');
  });

  it('has a status of its own', async () => {
    const created = await made(
      cluster.request('POST', widgets, { body: { ...widget('status'), status: { replicas: 5 } } }),
    );
    expect(created.status).toBeUndefined();
    const body = { spec: { size: 9 }, status: { replicas: 2 } };
    const after = await made(cluster.request('PATCH', `${widgets}/status/status`, { contentType: merge, body }));
    expect(after).toMatchObject({ spec: { size: 3 }, status: { replicas: 2 }, metadata: { generation: 1 } });
  });

  it('can be scaled', async () => {
    await made(create('scaled', { size: 5, replicas: 2 }));
    const status = { status: { replicas: 1, selector: 'a=b' } };
    await made(cluster.request('PATCH', `${widgets}/scaled/status`, { contentType: merge, body: status }));
    expect(await made(cluster.request('GET', `${widgets}/scaled/scale`))).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'a=b' },
    });
    const scaled = await made(
      cluster.request('PATCH', `${widgets}/scaled/scale`, { contentType: merge, body: { spec: { replicas: 3 } } }),
    );
    expect(scaled.spec['replicas']).toBe(3);
    const tooMany = await cluster.request('PATCH', `${widgets}/scaled/scale`, {
      contentType: merge,
      body: { spec: { replicas: 7 } },
    });
    expect(tooMany.code).toBe(422);
  });

  it('is the same in every version', async () => {
    await made(create('versions'));
    const path = `${widgets.replace('/v1/', '/v2/')}/versions`;
    expect(await made(cluster.request('GET', path))).toMatchObject({ apiVersion: `${group}/v2`, spec: { size: 3 } });
  });

  it('shows the columns of its definition', async () => {
    await made(create('columns'));
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = await made(cluster.request('GET', `${widgets}/columns`, { accept }));
    expect((table['columnDefinitions'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'Name',
      'Size',
      'Color',
    ]);
    expect(table['rows']).toMatchObject([{ cells: ['columns', 3, 'red'] }]);
  });

  it('can be selected by the fields that its definition names', async () => {
    await made(create('green', { size: 1, color: 'green' }));
    const list = await made(cluster.request('GET', `${widgets}?fieldSelector=spec.color%3Dgreen`));
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['green']);
    expect((await cluster.request('GET', `${widgets}?fieldSelector=spec.size%3D3`)).code).toBe(400);
  });

  it('can be applied, but not merged strategically', async () => {
    const apply = (manager: string, spec: object) =>
      cluster.request('PATCH', `${widgets}/applied?fieldManager=${manager}`, {
        contentType: 'application/apply-patch+yaml',
        body: widget('applied', spec),
      });
    expect((await apply('one', { size: 2, tags: ['a'] })).code).toBe(201);
    const both = await made(apply('two', { size: 2, tags: ['b'] }));
    expect(both.spec['tags']).toEqual(['a', 'b']);
    expect((await apply('two', { size: 4 })).code).toBe(409);
    const strategic = await cluster.request('PATCH', `${widgets}/applied`, {
      contentType: 'application/strategic-merge-patch+json',
      body: {},
    });
    expect(strategic.code).toBe(415);
  });
});

describe('a rule of a custom kind', () => {
  const texts = { type: 'array', items: { type: 'string', maxLength: 10 } };

  async function tryRule(rule: string, list: object) {
    const spec = { type: 'object', properties: { list: { ...list, 'x-kubernetes-validations': [{ rule }] } } };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const body = {
      metadata: { name: `gadgets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'gadgets', kind: 'Gadget' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    return cluster.request('POST', `${definitions}?dryRun=All`, { body });
  }

  it('may not be so expensive that it could not be asked', async () => {
    const { code, body } = await tryRule('self.all(x, self.exists(y, x != y))', texts);
    expect(code).toBe(422);
    expect(body.message).toContain(
      'spec.validation.openAPIV3Schema.properties[spec].properties[list].x-kubernetes-validations[0].rule: Forbidden: ' +
        'estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, ' +
        'maxProperties, and maxLength where arrays, maps, and strings are declared)',
    );
  });

  it('is cheap where what it loops over is short', async () => {
    const { code } = await tryRule('self.all(x, self.exists(y, x != y))', { ...texts, maxItems: 10 });
    expect(code).toBe(201);
  });
});
