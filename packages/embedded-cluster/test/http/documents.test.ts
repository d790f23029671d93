import { describe, expect, it } from 'vitest';
import { documentHandler } from '../../src/http/handlers/documents.ts';
import { createResourceTypes } from '../../src/kinds/resource-types.ts';

const types = createResourceTypes({ strategies: new Map(), cells: new Map() });
const documents = documentHandler(types, '127.0.0.1:6443');
const get = (path: string, headers = {}) => documents(path, new URLSearchParams(), headers);

describe('/openapi/v2', () => {
  it('is one document, which clients may keep as long as it stays the same', () => {
    const reply = get('/openapi/v2');
    expect(reply).toMatchObject({ code: 200, contentType: 'application/json' });
    expect(get('/openapi/v2', { 'if-none-match': reply?.headers?.['etag'] })).toMatchObject({ code: 304 });
    expect(get('/openapi/v2/apps')).toBeUndefined();
  });

  it('is there in the form that kubectl reads, under the name that it has today', () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const contentType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
    expect(get('/openapi/v2', { accept })).toMatchObject({ code: 200, contentType, body: expect.any(Buffer) });
  });

  it('is not there in any other form', () => {
    const protobuf = 'application/vnd.kubernetes.protobuf';
    expect(get('/openapi/v2', { accept: protobuf })).toMatchObject({ code: 406 });
    expect(get('/openapi/v2', { accept: `${protobuf},application/json` })).toMatchObject({ code: 200 });
  });
});
