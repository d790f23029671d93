import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainOrAggregated, swaggerForm } from '../../src/discovery/negotiation.ts';

const v2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const v2beta1 = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
const protobuf = 'application/vnd.kubernetes.protobuf';

describe('the form of discovery', () => {
  it.each([
    [undefined, 'plain'],
    ['', 'plain'],
    ['*/*', 'plain'],
    ['application/*', 'plain'],
    ['application/json', 'plain'],
    ['application/json, */*', 'plain'],
    [v2, 'v2'],
    [v2beta1, 'v2beta1'],
    [`${v2},${v2beta1},application/json`, 'v2'],
    [`${v2beta1},application/json`, 'v2beta1'],
    [`application/json,${v2}`, 'plain'],
    [`application/json;q=0.5,${v2}`, 'v2'],
    [`${v2};q=0,application/json`, 'plain'],
    ['application/json; as=APIGroupDiscoveryList; v=v2; g=apidiscovery.k8s.io', 'v2'],
    [`${v2.replace('v=v2', 'v=v9')},application/json`, 'plain'],
    [v2.replace('v=v2', 'v=v9'), undefined],
    [v2.replace('apidiscovery', 'meta'), undefined],
    ['application/json;as=Table;v=v1;g=meta.k8s.io', undefined],
    [`${protobuf},application/json`, 'plain'],
    [protobuf, undefined],
    ['text/html', undefined],
  ])('for Accept: %s is %s', (accept, form) => {
    expect(plainOrAggregated(accept)).toBe(form);
  });

  it('is found, or not, for any header at all', () => {
    fc.assert(
      fc.property(fc.string(), (accept) => {
        expect([undefined, 'plain', 'v2', 'v2beta1']).toContain(plainOrAggregated(accept));
      }),
    );
  });
});

describe('the form of the document of OpenAPI 2', () => {
  const today = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
  const before = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  it.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['application/json;as=Table', 'json'],
    [today, 'protobuf'],
    [before, 'protobuf'],
    [`${before},application/json`, 'protobuf'],
    [`${before};q=0.5,application/json`, 'json'],
    [protobuf, undefined],
    ['text/html', undefined],
    ['*/*;q=0', undefined],
  ])('for Accept: %s is %s', (accept, form) => {
    expect(swaggerForm(accept)).toBe(form);
  });
});
