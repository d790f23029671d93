import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatFieldError } from '../../../base/src/field-errors.ts';
import type { Crd } from '../../src/crd/crd.ts';
import { crdStrategy } from '../../src/crd/crd-strategy.ts';
import { customResourceTypes } from '../../src/crd/custom-types.ts';
import { schemaFor } from '../../src/kinds/schema-link.ts';
import type { KubeObject } from '../../src/objects.ts';
import { decodeProblem } from '../../src/schema/decode.ts';
import { prune } from '../../src/schema/prune.ts';

const folder = new URL('../../../../deploy/crds/', import.meta.url);
const context = { clock: { now: () => 0, after: () => ({ cancel() {} }) }, lookup: () => undefined };
const crds = readdirSync(folder).map((file) => parse(readFileSync(new URL(file, folder), 'utf8')) as Crd);

test('there are CRDs to look at', () => {
  expect(crds.map((crd) => crd.spec.names.kind).sort()).toEqual(['DisruptionLedger', 'PodUnavailableBudget']);
});

describe.each(crds.map((crd) => [crd.metadata.name, crd] as const))('%s', (_, source) => {
  const crd = structuredClone(source);
  crdStrategy.applyDefaults?.(crd);
  crdStrategy.prepareForCreate?.(crd, context);

  test('is accepted, with nothing in it that is not known', () => {
    const schema = schemaFor('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition');
    if (!schema) throw new Error('no schema of CRDs');
    expect(decodeProblem(source, schema, 'CustomResourceDefinition', 'apiextensions.k8s.io/v1')).toBeUndefined();
    expect(prune(structuredClone(source), schema)).toEqual([]);
    expect(crdStrategy.validate?.(crd, context).map(formatFieldError)).toEqual([]);
  });

  test('every version can be served', () => {
    const types = customResourceTypes(crd, { convertByWebhook: () => async () => [] });
    expect(types.map((type) => type.version)).toEqual(crd.spec.versions.map((version) => version.name));
  });
});

describe('a budget', () => {
  const crd = crds.find((one) => one.spec.names.kind === 'PodUnavailableBudget');
  const [type] = crd ? customResourceTypes(crd, { convertByWebhook: () => async () => [] }) : [];

  function budget(spec: object): KubeObject {
    const object = {
      apiVersion: `${type?.group}/${type?.version}`,
      kind: 'PodUnavailableBudget',
      metadata: { name: 'a' },
      spec,
    };
    prune(object, type?.schema);
    type?.strategy.applyDefaults?.(object);
    return object;
  }

  test('gets its defaults, and loses what is not known', () => {
    expect(budget({ podGroupPolicy: { groupLabelKey: 'g', x: 1 }, maxUnavailable: '30%', y: 1 })['spec']).toEqual({
      podGroupPolicy: { groupLabelKey: 'g', minReadyReplicas: 1 },
      maxUnavailable: '30%',
    });
  });

  test.each<[object, string[]]>([
    [{ maxUnavailable: 1, selector: { matchLabels: { a: 'b' } } }, []],
    [
      { maxUnavailable: true },
      [
        'spec.maxUnavailable: Invalid value: "boolean": spec.maxUnavailable in body must be of type integer,string: "boolean"',
      ],
    ],
    [
      { podGroupPolicy: { groupLabelKey: '' } },
      [
        'spec.podGroupPolicy.groupLabelKey: Invalid value: "": spec.podGroupPolicy.groupLabelKey in body should be at least 1 chars long',
      ],
    ],
    [
      { protectOperations: ['JUMP'] },
      [
        expect.stringMatching(
          /^spec.protectOperations\[0\]: Unsupported value: "JUMP": supported values: "/,
        ) as unknown as string,
      ],
    ],
    [{ targetRef: { kind: 'Deployment', name: 'x' } }, ['spec.targetRef.apiVersion: Required value']],
  ])('%j', (spec, expected) => {
    const errors = type?.strategy.validate?.(budget(spec), context).map(formatFieldError) ?? [];
    expect(errors.filter((text) => !text.startsWith('<nil>: Invalid value: null: some validation rules'))).toEqual(
      expected,
    );
  });
});
