import { describe, expect, test } from 'vitest';
import { formatFieldError } from '../../../base/src/field-errors.ts';
import type { Crd } from '../../src/crd/crd.ts';
import { crdStrategy } from '../../src/crd/crd-strategy.ts';
import type { KubeObject } from '../../src/objects.ts';
import { type Change, widgets } from './widgets.ts';

function prepared(change: Change): KubeObject {
  const crd = widgets(change);
  crdStrategy.applyDefaults?.(crd);
  crdStrategy.prepareForCreate?.(crd, {
    clock: { now: () => 0, after: () => ({ cancel() {} }) },
    lookup: () => undefined,
  });
  return crd;
}

const context = { clock: { now: () => 0, after: () => ({ cancel() {} }) }, lookup: () => undefined };

function problems(change: Change): string[] {
  return (crdStrategy.validate?.(prepared(change), context) ?? []).map(formatFieldError);
}

/** Puts a schema under `spec` of the only version. */
function withSpec(schema: object): Change {
  return (crd) => {
    const version = crd.spec.versions[0];
    if (version) version.schema = { openAPIV3Schema: { type: 'object', properties: { spec: schema } } };
  };
}

const at = 'spec.validation.openAPIV3Schema.properties[spec]';

test('a sound CRD is accepted, and gets its defaults', () => {
  const crd = prepared(() => {}) as Crd;
  expect(problems(() => {})).toEqual([]);
  expect(crd.spec.names).toMatchObject({ singular: 'widget', listKind: 'WidgetList' });
  expect(crd.spec.conversion).toEqual({ strategy: 'None' });
  expect(crd.status).toEqual({ storedVersions: ['v1'] });
});

describe('refusals in the words of the real server', () => {
  test.each<[string, Change, string[]]>([
    [
      'name',
      (crd) => {
        crd.metadata.name = 'x.example.com';
      },
      ['metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'group without a dot',
      (crd) => {
        crd.spec.group = 'example';
        crd.metadata.name = 'widgets.example';
      },
      ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
    ],
    [
      'scope',
      (crd) => {
        crd.spec.scope = 'World';
      },
      ['spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"'],
    ],
    [
      'two storage versions',
      (crd) => {
        crd.spec.versions.push({ ...crd.spec.versions[0], name: 'v2' } as never);
      },
      [
        expect.stringMatching(
          /^spec.versions: Invalid value: .*: must have exactly one version marked as storage version$/,
        ) as unknown as string,
        'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2',
      ],
    ],
    [
      'versions of one name',
      (crd) => {
        crd.spec.versions.push({ ...crd.spec.versions[0], storage: false } as never);
      },
      [expect.stringMatching(/must contain unique version names$/) as unknown as string],
    ],
    [
      'no schema',
      (crd) => {
        delete crd.spec.versions[0]?.schema;
      },
      ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'kind and list of one name',
      (crd) => {
        crd.spec.names.listKind = 'Widget';
      },
      ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same'],
    ],
    [
      'short name',
      (crd) => {
        crd.spec.names.shortNames = ['W'];
      },
      [
        expect.stringMatching(
          /^spec.names.shortNames\[0\]: Invalid value: "W": a DNS-1035 label must consist of/,
        ) as unknown as string,
      ],
    ],
    [
      'preserving unknown fields',
      (crd) => {
        crd.spec.preserveUnknownFields = true;
      },
      [
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
    [
      'a protected group',
      (crd) => {
        crd.spec.group = 'x.k8s.io';
        crd.metadata.name = 'widgets.x.k8s.io';
      },
      [
        'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ],
    ],
    [
      'an unknown conversion',
      (crd) => {
        crd.spec.conversion = { strategy: 'Magic' };
      },
      ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
    ],
    [
      'a webhook without address',
      (crd) => {
        crd.spec.conversion = { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v9'] } };
      },
      [
        'spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required',
        'spec.conversion.conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
      ],
    ],
    [
      'a webhook over http',
      (crd) => {
        crd.spec.conversion = {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: 'http://a/b' }, conversionReviewVersions: ['v1'] },
        };
      },
      [
        'spec.conversion.webhookClientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
      ],
    ],
    [
      'a webhook that is not used',
      (crd) => {
        crd.spec.conversion = { strategy: 'None', webhook: { clientConfig: { url: 'https://a' } } };
      },
      ['spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook'],
    ],
    [
      'a deprecation warning on a version that is not',
      (crd) => {
        Object.assign(crd.spec.versions[0] ?? {}, { deprecationWarning: 'x' });
      },
      ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
    ],
    [
      'a column',
      (crd) => {
        Object.assign(crd.spec.versions[0] ?? {}, {
          additionalPrinterColumns: [{ name: 'A', type: 'x', jsonPath: 'spec' }],
        });
      },
      [
        'spec.additionalPrinterColumns[0].type: Invalid value: "x": must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec": must be a simple json path starting with .',
      ],
    ],
    [
      'scale paths',
      (crd) => {
        Object.assign(crd.spec.versions[0] ?? {}, {
          subresources: { scale: { specReplicasPath: '.status.x', statusReplicasPath: '' } },
        });
      },
      [
        'spec.subresources.scale.specReplicasPath: Invalid value: ".status.x": should be a json path under .spec',
        'spec.subresources.scale.statusReplicasPath: Required value',
      ],
    ],
    [
      'selectable fields',
      (crd) => {
        Object.assign(crd.spec.versions[0] ?? {}, {
          selectableFields: [{ jsonPath: '.spec.nothing' }, { jsonPath: '.spec' }],
        });
      },
      [
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec.nothing": is an invalid path: does not refer to a valid field',
        'spec.selectableFields[1].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      ],
    ],
    [
      'nothing at all',
      (crd) => {
        delete (crd as Partial<Crd>).spec;
      },
      expect.arrayContaining([
        'spec.group: Required value',
        'spec.scope: Required value',
        'spec.names.plural: Required value',
      ]) as never,
    ],
  ])('%s', (_, change, expected) => {
    expect(problems(change)).toEqual(expected);
  });

  test.each<[string, object, string[]]>([
    ['a field without type', {}, [`${at}.type: Required value: must not be empty for specified object fields`]],
    [
      'items without type',
      { type: 'array', items: {} },
      [`${at}.items.type: Required value: must not be empty for specified array items`],
    ],
    ['a list without items', { type: 'array' }, [`${at}.items: Required value: must be specified`]],
    [
      'an unknown type',
      { type: 'thing' },
      [
        `${at}.type: Unsupported value: "thing": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      ],
    ],
    [
      'a type in anyOf',
      { type: 'string', anyOf: [{ type: 'string' }] },
      [`${at}.anyOf[0].type: Forbidden: must be empty to be structural`],
    ],
    [
      'the int-or-string pattern',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      [],
    ],

    [
      'a pattern',
      { type: 'string', pattern: '(?=a)' },
      [
        `${at}.pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: \`(?=\``,
      ],
    ],
    [
      'unique items',
      { type: 'array', uniqueItems: true, items: { type: 'string' } },
      [
        `${at}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      ],
    ],
    [
      'properties and additional ones',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
      [`${at}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
    ],
    ['a reference', { type: 'string', $ref: '#/x' }, [`${at}.$ref: Forbidden: $ref is not supported`]],
    [
      'a list with keys that are not there',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object' },
      },
      [`${at}.x-kubernetes-list-map-keys: Invalid value: ["k"]: entries must all be names of item properties`],
    ],
    [
      'a list with optional keys',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' } } },
      },
      [
        `${at}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      ],
    ],
    [
      'a default of the wrong type',
      { type: 'integer', default: 'x' },
      [`${at}.default: Invalid value: "string": ${''} in body must be of type integer: "string"`],
    ],
    [
      'a default with unknown fields',
      { type: 'object', properties: {}, default: { a: 1 } },
      [`${at}.default: Invalid value: {"a":1}: must not have unknown fields`],
    ],
    [
      'a rule that does not compile',
      { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.a ==' }] },
      [
        expect.stringContaining(
          `${at}.x-kubernetes-validations[0].rule: Invalid value: {"rule":"self.a =="}: compilation failed: ERROR: <input>:1:10: Syntax error`,
        ) as unknown as string,
      ],
    ],
    [
      'a rule that is no question',
      { type: 'object', 'x-kubernetes-validations': [{ rule: '"a"' }] },
      [
        `${at}.x-kubernetes-validations[0].rule: Invalid value: {"rule":"\\"a\\""}: cel expression must evaluate to a bool`,
      ],
    ],
    [
      'a rule that looks back in a list without keys',
      { type: 'array', items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } },
      [
        `${at}.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${at}`,
      ],
    ],
    [
      'an optional that is not used',
      { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == ""', optionalOldSelf: true }] },
      [
        `${at}.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
      ],
    ],
    [
      'a place that is not there',
      { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.a' }] },
      [`${at}.x-kubernetes-validations[0].fieldPath: Invalid value: ".a": must be a valid path`],
    ],
    [
      'no schema where one is needed',
      { type: 'object', properties: { a: 1 } },
      [`${at}.properties[a]: Invalid value: 1: must be a schema`],
    ],
  ])('schema: %s', (_, schema, expected) => {
    expect(problems(withSpec(schema))).toEqual(expected);
  });

  test.each([
    ['self.size > 0 && has(self.name)', undefined],
    ['self.my__dash__name == "" || self.any.thing', undefined],
    ['self.list.all(i, i.whatever)', undefined],
    ['self.size == oldSelf.size', undefined],
    ['self.siz > 0', "<input>:1:5: undefined field 'siz'\n | self.siz > 0\n | ....^"],
    ['has(self.none)', "<input>:1:9: undefined field 'none'\n | has(self.none)\n | ........^"],
    [
      'self.inner.a == self.inner.b',
      "<input>:1:27: undefined field 'b'\n | self.inner.a == self.inner.b\n | ..........................^",
    ],
  ])('fields of the rule %s', (rule, problem) => {
    const text = { type: 'string' };
    const schema = {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        name: text,
        'my-name': text,
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        list: { type: 'array', items: text },
        inner: { type: 'object', properties: { a: text } },
      },
      'x-kubernetes-validations': [{ rule }],
    };
    const expected = `${at}.x-kubernetes-validations[0].rule: Invalid value: ${JSON.stringify({ rule })}: compilation failed: ERROR: ${problem}`;
    expect(problems(withSpec(schema))).toEqual(problem === undefined ? [] : [expected]);
  });

  test('what is narrowed at the root must have been said before', () => {
    const root = 'spec.validation.openAPIV3Schema';
    const change: Change = (crd) => {
      const schema = { type: 'object', allOf: [{ properties: { a: { minLength: 1 } } }] };
      Object.assign(crd.spec.versions[0] ?? {}, { schema: { openAPIV3Schema: schema } });
    };
    expect(problems(change)).toEqual([
      `${root}.properties[a]: Required value: because it is defined in ${root}.allOf[0].properties[a]`,
    ]);
  });

  test('two versions with different schemas are named apart', () => {
    const change: Change = (crd) => {
      crd.spec.versions.push({ name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: {} } });
    };
    expect(problems(change)).toEqual([
      'spec.versions[1].schema.openAPIV3Schema.type: Required value: must not be empty at the root',
    ]);
  });
});

describe('updates', () => {
  function update(change: Change, established = true): string[] {
    const old = prepared(() => {}) as Crd;
    if (established)
      old.status = { ...old.status, conditions: [{ type: 'Established', status: 'True', reason: '', message: '' }] };
    const draft = prepared(change);
    crdStrategy.prepareForUpdate?.(draft, old, context);
    return (crdStrategy.validateUpdate?.(draft, old, context) ?? []).map(formatFieldError);
  }

  test('keep what objects are stored under', () => {
    const change: Change = (crd) => {
      crd.spec.scope = 'Cluster';
      crd.spec.names.kind = 'Gadget';
      crd.spec.group = 'other.com';
    };
    expect(update(change)).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Gadget": field is immutable',
      'spec.group: Invalid value: "other.com": field is immutable',
    ]);
    expect(update(change, false)).toEqual(['spec.group: Invalid value: "other.com": field is immutable']);
  });

  test('remember every version that was stored in, and keep it', () => {
    const change: Change = (crd) => {
      const version = crd.spec.versions[0];
      if (version) version.name = 'v2';
    };
    const old = prepared(() => {}) as Crd;
    const draft = prepared(change) as Crd;
    crdStrategy.prepareForUpdate?.(draft, old, context);
    expect(draft.status?.storedVersions).toEqual(['v1', 'v2']);
    expect(update(change)).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ]);
  });
});
