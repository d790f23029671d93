import { describe, expect, it } from 'vitest';
import { formatOf, negotiate } from '../../src/http/negotiate.ts';

const json = { kind: 'object', format: 'json' };

describe('how an answer is to look', () => {
  const cases: [what: string, accept: string | undefined, want: object][] = [
    ['nothing said: JSON', undefined, json],
    ['anything: JSON', '*/*', json],
    [
      'a typed client: protobuf',
      'application/vnd.kubernetes.protobuf,application/json',
      { kind: 'object', format: 'protobuf' },
    ],
    [
      'a client of metadata: that in protobuf',
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
      { kind: 'metadata', version: 'v1', format: 'protobuf' },
    ],
    [
      'metadata of an old version is not given in protobuf',
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1,application/json',
      json,
    ],
    ['tables are not given in protobuf', 'application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,*/*', json],
    [
      'kubectl get: a table',
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
      { kind: 'table', version: 'v1' },
    ],
    ['a table of another group is not ours', 'application/json;as=Table;v=v1;g=other.io,application/json', json],
    [
      'metadata only',
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      { kind: 'metadata', version: 'v1', format: 'json' },
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
    const kept = { tables: false, protobuf: true };
    expect(negotiate(`${table},application/json`, kept)).toEqual(json);
    expect(() => negotiate(table, kept)).toThrow('only the following media types are accepted');
  });

  it('has no protobuf of custom kinds, except for their metadata', () => {
    const custom = { tables: true, protobuf: false };
    const protobuf = 'application/vnd.kubernetes.protobuf';
    const metadata = `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
    expect(negotiate(`${protobuf},application/json`, custom)).toEqual(json);
    expect(() => negotiate(protobuf, custom)).toThrow('only the following media types are accepted');
    expect(negotiate(metadata, custom)).toEqual({ kind: 'metadata', version: 'v1', format: 'protobuf' });
  });

  it('refuses with 406 what it cannot give, and says what it can', () => {
    expect(() => negotiate('application/cbor')).toThrow(
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    );
  });
});

describe('the words of a refusal', () => {
  it.each([
    [undefined, 'json'],
    ['application/json', 'json'],
    ['application/vnd.kubernetes.protobuf', 'protobuf'],
    ['application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', 'protobuf'],
    ['application/json,application/vnd.kubernetes.protobuf', 'json'],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/vnd.kubernetes.protobuf', 'json'],
    ['application/yaml', 'yaml'],
    ['application/cbor', 'json'],
  ])('for those who accept %s: %s', (accept, want) => expect(formatOf(accept)).toBe(want));
});
