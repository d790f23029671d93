import { describe, expect, it } from 'vitest';
import {
  discoveryText,
  entryPerLine,
  recordColumns,
  recordDefinitions,
  recordDiscovery,
} from '../../../../scripts/kubernetes-recording.ts';

const server = { major: '1', minor: '37', gitVersion: 'v1.37.1' };
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const common = Object.fromEntries(
  ['DeleteOptions', 'WatchEvent', 'Patch', 'Status'].map((kind) => [`${meta}.${kind}`, { type: 'object' }]),
);
const pods = {
  name: 'pods',
  singularName: 'pod',
  namespaced: true,
  kind: 'Pod',
  verbs: ['get', 'list'],
  shortNames: ['po'],
};
const sub = (name: string, fields: object = {}) => ({
  name,
  singularName: '',
  namespaced: true,
  kind: 'Pod',
  verbs: ['get'],
  ...fields,
});
const kindOf = (kind: string) => ({ 'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind }] });
const document = (schemas: object) => ({ components: { schemas: { ...common, ...schemas } } });

describe('recording discovery', () => {
  const recorded = recordDiscovery(server, [
    {
      group: '',
      version: 'v1',
      resources: [
        pods,
        sub('pods/proxy'),
        sub('pods/eviction', { group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] }),
        sub('pods/status'),
        { ...pods, name: 'servicecidrs' },
      ],
    },
    { group: 'not.served.here', version: 'v1', resources: [pods] },
  ]);

  it('keeps served resources with their served subresources', () => {
    expect(recorded.groups).toEqual([
      {
        group: '',
        versions: [
          {
            version: 'v1',
            resources: [
              {
                ...pods,
                subresources: [
                  { name: 'eviction', kind: 'Eviction', verbs: ['create'], group: 'policy', version: 'v1' },
                  { name: 'status', kind: 'Pod', verbs: ['get'] },
                ],
              },
            ],
          },
        ],
      },
    ]);
  });

  it('writes JSON with one line for each resource', () => {
    const text = discoveryText(recorded);
    expect(JSON.parse(text)).toEqual(recorded);
    expect(text.split('\n').filter((line) => line.includes('"singularName"'))).toHaveLength(1);
  });
});

describe('recording definitions', () => {
  const discovery = recordDiscovery(server, [{ group: '', version: 'v1', resources: [pods] }]);
  const record = (schemas: object) => recordDefinitions([document(schemas)], discovery);

  it('drops descriptions and keeps a property of that name', () => {
    const schema = { description: 'words', properties: { description: { type: 'string', description: 'words' } } };
    expect(record({ Pod: { ...schema, ...kindOf('Pod') } })['Pod']).toEqual({
      properties: { description: { type: 'string' } },
      ...kindOf('Pod'),
    });
  });

  it('follows references, shortens them, and leaves out what nothing refers to', () => {
    const pointer = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const recorded = record({
      Pod: { ...kindOf('Pod'), properties: { spec: { default: {}, allOf: [pointer('Spec')] } } },
      PodList: { ...kindOf('PodList'), properties: { items: { type: 'array', items: pointer('Pod') } } },
      Spec: { additionalProperties: pointer('Leaf') },
      Leaf: { type: 'string' },
      Other: { type: 'object' },
    });
    expect(Object.keys(recorded)).toEqual(['Leaf', 'Pod', 'PodList', 'Spec', ...Object.keys(common).sort()]);
    expect(recorded['Pod']?.['properties']).toEqual({ spec: { $ref: 'Spec', default: {} } });
    expect(recorded['Spec']).toEqual({ additionalProperties: { $ref: 'Leaf' } });
  });

  it('is the same text whatever order the server answers in', () => {
    const one = record({
      Pod: { type: 'object', ...kindOf('Pod') },
      PodList: { type: 'object', ...kindOf('PodList') },
    });
    const other = record({
      PodList: { ...kindOf('PodList'), type: 'object' },
      Pod: { ...kindOf('Pod'), type: 'object' },
    });
    expect(entryPerLine(one)).toBe(entryPerLine(other));
    expect(JSON.parse(entryPerLine(one))).toEqual(one);
  });

  it('refuses documents that disagree', () => {
    const documents = [document({ Pod: { type: 'object' } }), document({ Pod: { type: 'string' } })];
    expect(() => recordDefinitions(documents, discovery)).toThrow('two documents disagree about Pod');
  });

  it('refuses a reference that leads nowhere', () => {
    const dangling = { ...kindOf('Pod'), items: { $ref: '#/components/schemas/Gone' } };
    expect(() => record({ Pod: dangling })).toThrow('the server has no definition Gone');
  });
});

describe('recording columns', () => {
  it('keeps name, type, format and priority', () => {
    const column = { name: 'Name', type: 'string', format: 'name', description: 'words', priority: 0 };
    expect(recordColumns({ columnDefinitions: [column] })).toEqual([['Name', 'string', 'name', 0]]);
  });
});
