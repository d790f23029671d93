import { describe, expect, it } from 'vitest';
import { negotiate } from '../../../src/cluster/http/negotiate.ts';

const json = { kind: 'object', format: 'json' };

describe('how an answer is to look', () => {
  const cases: [what: string, accept: string | undefined, want: object][] = [
    ['nothing said: JSON', undefined, json],
    ['anything: JSON', '*/*', json],
    ['a typed client: its second wish', 'application/vnd.kubernetes.protobuf,application/json', json],
    [
      'kubectl get: a table',
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
      { kind: 'table', version: 'v1' },
    ],
    ['a table of another group is not ours', 'application/json;as=Table;v=v1;g=other.io,application/json', json],
    [
      'metadata only',
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      { kind: 'metadata', version: 'v1' },
    ],
    ['YAML', 'application/yaml', { kind: 'object', format: 'yaml' }],
    [
      'the client weighs its wishes',
      'application/json;q=0.1, application/yaml;q=0.9',
      { kind: 'object', format: 'yaml' },
    ],
    ['what is weighed as nothing is not wanted', 'application/yaml;q=0,application/json', json],
  ];

  it.each(cases)('%s', (_what, accept, want) => expect(negotiate(accept)).toEqual(want));

  it('has no table of what is not kept, and takes the next wish', () => {
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    expect(negotiate(`${table},application/json`, false)).toEqual(json);
    expect(() => negotiate(table, false)).toThrow('only the following media types are accepted');
  });

  it('refuses with 406 what it cannot give, and says what it can', () => {
    expect(() => negotiate('application/vnd.kubernetes.protobuf')).toThrow(
      'only the following media types are accepted: application/json, application/yaml',
    );
  });
});
