import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/objects.ts';
import { decodeProtobuf } from '../../src/protobuf/protobuf.ts';
import bodies from './bodies.json' with { type: 'json' };
import { body, bytesField, concat, textField, varintField } from './encode.ts';

/** The bodies were written by the Go client's own serializer, together with the JSON it writes for the same object. */
const written = bodies.map(({ kind, protobuf, json }) => ({ kind, bytes: Buffer.from(protobuf, 'base64'), json }));

/** JSON says null where protobuf says nothing. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(fields.map(([name, inner]) => [name, withoutNulls(inner)]));
}

function refusal(bytes: Buffer): ApiError {
  try {
    decodeProtobuf(bytes);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('the body was accepted');
}

function bodyOf(kind: string): Buffer {
  const found = written.find((of) => of.kind === kind);
  if (!found) throw new Error(`no body of kind ${kind}`);
  return found.bytes;
}

describe('an object in a protobuf body', () => {
  it.each(written)('is what the JSON of the same $kind says', ({ bytes, json }) => {
    expect(decodeProtobuf(bytes)).toStrictEqual(withoutNulls(json));
  });

  it('keeps a zero that was set and drops one that only means "not set"', () => {
    const { spec } = decodeProtobuf(bodyOf('Deployment')) as { spec: JsonObject };
    expect(spec['replicas']).toBe(0);
    expect(spec).not.toHaveProperty('minReadySeconds');
    expect(spec).not.toHaveProperty('paused');
  });

  it('has the keys of maps as its own, whatever they are', () => {
    const { data } = decodeProtobuf(bodyOf('ConfigMap')) as { data: JsonObject };
    expect(Object.entries(data)).toContainEqual(['__proto__', 'safe']);
  });

  it.each(['v1', 'apps/v1', 'example.com/v1alpha1'])('may be DeleteOptions in version %s', (apiVersion) => {
    const bytes = body(apiVersion, 'DeleteOptions', varintField(1, 0n), textField(4, 'Orphan'));
    expect(decodeProtobuf(bytes)).toEqual({
      apiVersion,
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      propagationPolicy: 'Orphan',
    });
  });

  it('loses fields that its kind does not have', () => {
    const unknown = concat(
      varintField(900, 7n),
      textField(901, 'x'),
      Buffer.from([0xe9, 0x38, 1, 2, 3, 4, 5, 6, 7, 8]),
    );
    expect(decodeProtobuf(body('v1', 'ConfigMap', unknown))).toEqual({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  it('is the sum of parts that come one after another', () => {
    const bytes = body(
      'v1',
      'Namespace',
      bytesField(1, textField(1, 'first')),
      bytesField(1, textField(2, 'generated-')),
      bytesField(1, textField(1, 'last')),
    );
    expect(decodeProtobuf(bytes)).toMatchObject({ metadata: { name: 'last', generateName: 'generated-' } });
  });

  it('may have its lists of numbers packed', () => {
    const supplementalGroups = bytesField(4, Buffer.from([1, 0x80, 1, 2]));
    const spec = bytesField(14, supplementalGroups);
    expect(decodeProtobuf(body('v1', 'Pod', bytesField(2, spec)))).toMatchObject({
      spec: { securityContext: { supplementalGroups: [1, 128, 2] } },
    });
  });

  it('may have a list of very many elements', () => {
    const groups = bytesField(4, Buffer.alloc(300_000, 1));
    const { spec } = decodeProtobuf(body('v1', 'Pod', bytesField(2, bytesField(14, groups)))) as {
      spec: { securityContext: { supplementalGroups: number[] } };
    };
    expect(spec.securityContext.supplementalGroups).toHaveLength(300_000);
  });
});

describe('a protobuf body that is refused', () => {
  it('says which kind has no message, and what to do', () => {
    const { status } = refusal(body('example.com/v1', 'Thing'));
    expect(status).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
    expect(status.message).toContain(
      'no protobuf message is known for kind "Thing" in version "example.com/v1"; send it as JSON',
    );
  });

  it.each([
    ['nothing', Buffer.alloc(0), 'empty data'],
    ['JSON', Buffer.from('{}'), 'does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
    ['an envelope without a kind', body('v1', ''), "Object 'Kind' is missing"],
    [
      'an envelope that ends early',
      Buffer.from('k8s\0\x0a\x7f', 'latin1'),
      'the object provided is unrecognized: unexpected EOF',
    ],
    ['a field that ends early', body('v1', 'Pod', Buffer.from([0x0a, 5, 1])), 'unexpected EOF'],
    ['a length beyond all memory', body('v1', 'Pod', Buffer.from('0affffffffffffffff7f', 'hex')), 'unexpected EOF'],
    ['a negative length', body('v1', 'Pod', Buffer.from('0affffffffffffffffff01', 'hex')), 'negative length found'],
    ['a number without end', body('v1', 'Pod', Buffer.alloc(12, 0xff)), 'integer overflow'],
    ['a wire type that is not in use', body('v1', 'Pod', Buffer.from([0x0b])), 'illegal wireType 3'],
    ['field number 0', body('v1', 'Pod', Buffer.from([0x02, 0])), 'illegal tag 0'],
    ['a number for a message', body('v1', 'Pod', varintField(1, 1n)), 'proto: wrong wireType = 0 for field 1'],
    [
      'a text for a number',
      body('apps/v1', 'Deployment', bytesField(2, textField(1, 'x'))),
      'wrong wireType = 2 for field 1',
    ],
    ['a number for a text', body('v1', 'Pod', bytesField(1, varintField(1, 1n))), 'wrong wireType = 0 for field 1'],
    [
      'a time that no calendar has',
      body('v1', 'Pod', bytesField(1, bytesField(8, varintField(1, 2n ** 62n)))),
      'a time is out of range',
    ],
    [
      'raw JSON that is none',
      body('apps/v1', 'ControllerRevision', bytesField(2, textField(1, '{'))),
      'raw JSON is not JSON',
    ],
    [
      'raw JSON that is nested too deep',
      body('apps/v1', 'ControllerRevision', bytesField(2, textField(1, '['.repeat(5000) + ']'.repeat(5000)))),
      'raw JSON is nested too deep',
    ],
  ])('because it holds %s says so', (_, bytes, why) => {
    const { status } = refusal(bytes);
    expect(status).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(status.message).toContain(why);
  });

  it('names the kind and the version of what it could not read', () => {
    expect(refusal(body('apps/v1', 'Deployment', Buffer.from([0x0b]))).message).toBe(
      'Deployment in version "v1" cannot be handled as a Deployment: proto: illegal wireType 3',
    );
  });

  it('may be nested deep, but not deeper than anything needs', () => {
    expect(() => decodeProtobuf(schemaBody(40))).not.toThrow();
    expect(refusal(schemaBody(5000)).message).toContain('nested deeper than 100 levels');
  });
});

describe('whatever bytes come', () => {
  it('are read or refused as the fault of the client, wherever they are cut off', () => {
    for (const { bytes } of written) {
      for (let length = 0; length < bytes.length; length++) expectAnswer(bytes.subarray(0, length));
    }
  });

  it('are read or refused as the fault of the client, whatever stands in them', () => {
    const damage = fc.array(fc.tuple(fc.nat(5000), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...written), damage, ({ bytes }, changes) => {
        const damaged = Buffer.from(bytes);
        for (const [index, byte] of changes) damaged[index % damaged.length] = byte;
        expectAnswer(damaged);
      }),
      { numRuns: 2000 },
    );
  });
});

function expectAnswer(bytes: Buffer): void {
  try {
    decodeProtobuf(bytes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect([400, 415]).toContain(error.code);
  }
}

/** A CRD whose schema says "not" that many times. */
function schemaBody(levels: number): Buffer {
  let schema: Buffer = textField(5, 'object');
  for (let level = 0; level < levels; level++) schema = bytesField(28, schema);
  const version = concat(textField(1, 'v1'), bytesField(4, bytesField(1, schema)));
  return body('apiextensions.k8s.io/v1', 'CustomResourceDefinition', bytesField(2, bytesField(7, version)));
}
