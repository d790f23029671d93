import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/objects.ts';
import { applyConfiguration } from '../../src/patch/apply-configuration.ts';
import { difference, type FieldSet, printMembers } from '../../src/patch/fields/field-set.ts';
import { fieldSetOf } from '../../src/patch/fields/field-set-of.ts';
import { trackUpdate } from '../../src/patch/fields/managed-fields.ts';
import type { JsonMap } from '../../src/patch/json-tree.ts';
import { podSchema } from './schemas.ts';

const time = '2026-01-01T00:00:00Z';
const word = fc.constantFrom('1', '2');
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c'), word, { minKeys: 1 });
const container = fc.record({
  name: fc.constantFrom('x', 'y', 'z'),
  image: optional(word),
  args: optional(fc.array(word, { minLength: 1, maxLength: 2 })),
  env: optional(
    fc.uniqueArray(fc.record({ name: fc.constantFrom('A', 'B'), value: word }), {
      minLength: 1,
      selector: ({ name }) => name,
    }),
  ),
});

/** Configurations of a pod without empty maps and lists: decoding drops those from what is stored. */
const configuration: fc.Arbitrary<JsonMap> = fc
  .record({
    metadata: fc.record({
      name: fc.constant('p'),
      labels: optional(labels),
      finalizers: optional(fc.uniqueArray(fc.constantFrom('f', 'g', 'h'), { minLength: 1 })),
    }),
    spec: fc.record({
      containers: optional(fc.uniqueArray(container, { minLength: 1, selector: ({ name }) => name })),
      nodeSelector: optional(labels),
      nodeName: word,
    }),
  })
  .map((fields) => JSON.parse(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...fields })) as JsonMap);

function apply(live: KubeObject | undefined, manager: string, applied: JsonMap): KubeObject {
  const outcome = applyConfiguration({
    live,
    applied,
    manager,
    force: true,
    apiVersion: 'v1',
    time,
    schema: podSchema,
  });
  if (!outcome.ok) throw outcome.error;
  return outcome.object;
}

function update(live: KubeObject | undefined, manager: string, wanted: JsonMap): KubeObject {
  const next = { ...wanted } as unknown as KubeObject;
  const metadata = { ...next.metadata, uid: 'u' };
  const managedFields = trackUpdate({
    live,
    next: { ...next, metadata },
    manager,
    apiVersion: 'v1',
    time,
    schema: podSchema,
  });
  return { ...next, metadata: { ...metadata, ...(managedFields && { managedFields }) } };
}

const write = fc.record({
  kind: fc.constantFrom('apply', 'update'),
  manager: fc.constantFrom('a', 'b', 'c'),
  configuration,
});

/** An object with a past. */
const history: fc.Arbitrary<KubeObject | undefined> = fc
  .array(write, { maxLength: 4 })
  .map((writes) =>
    writes.reduce<KubeObject | undefined>(
      (live, { kind, manager, configuration }) =>
        kind === 'apply' ? apply(live, manager, configuration) : update(live, manager, configuration),
      undefined,
    ),
  );

function managedBy(object: KubeObject, manager: string, operation: string): FieldSet {
  const entry = object.metadata.managedFields?.find((one) => one.manager === manager && one.operation === operation);
  return entry?.fieldsV1 as FieldSet;
}

describe('server-side apply', () => {
  it('changes nothing when the same is applied again', () => {
    fc.assert(
      fc.property(history, configuration, (live, applied) => {
        const once = apply(live, 'a', applied);
        const outcome = applyConfiguration({
          live: once,
          applied,
          manager: 'a',
          force: false,
          apiVersion: 'v1',
          time: '2027-01-01T00:00:00Z',
          schema: podSchema,
        });
        expect(outcome).toEqual({ ok: true, object: once, changed: false });
      }),
    );
  });

  it('sets all that is applied, and manages exactly that', () => {
    fc.assert(
      fc.property(history, configuration, (live, applied) => {
        const object = apply(live, 'a', applied);
        const wanted = fieldSetOf(applied, podSchema);
        expect(printMembers(difference(wanted, fieldSetOf(object as unknown as JsonMap, podSchema)))).toEqual([]);
        const identity = ['.apiVersion', '.kind', '.metadata.name'];
        expect(printMembers(managedBy(object, 'a', 'Apply'))).toEqual(
          printMembers(wanted).filter((path) => !identity.includes(path)),
        );
      }),
    );
  });

  it('brings an object that no other client wrote to exactly what is applied', () => {
    fc.assert(
      fc.property(configuration, configuration, (first, second) => {
        const present = printMembers(
          fieldSetOf(apply(apply(undefined, 'a', first), 'a', second) as unknown as JsonMap, podSchema),
        );
        expect(present.filter((path) => !path.startsWith('.metadata.managedFields'))).toEqual(
          printMembers(fieldSetOf(second, podSchema)),
        );
      }),
    );
  });

  it('never removes what another applier applied', () => {
    fc.assert(
      fc.property(history, configuration, configuration, configuration, (live, other, first, second) => {
        const before = apply(apply(live, 'a', first), 'other', other);
        const after = apply(before, 'a', second);
        const wanted = fieldSetOf(other, podSchema);
        expect(printMembers(difference(wanted, fieldSetOf(after as unknown as JsonMap, podSchema)))).toEqual([]);
      }),
    );
  });

  it('never lets a manager keep fields that the object does not have', () => {
    fc.assert(
      fc.property(history, (live) => {
        fc.pre(live !== undefined);
        const created = trackUpdate({
          live: undefined,
          next: { ...live, metadata: { ...live.metadata, managedFields: undefined } } as unknown as KubeObject,
          manager: 'm',
          apiVersion: 'v1',
          time,
          schema: podSchema,
        });
        const everything = new Set(printMembers(created?.[0]?.fieldsV1 as FieldSet));
        const leaves = (live.metadata.managedFields ?? [])
          .flatMap(({ fieldsV1 }) => printMembers(fieldsV1 as FieldSet))
          .filter((path) => /image|nodeName|value|\.labels\.|args/.test(path));
        expect(leaves.filter((path) => !everything.has(path))).toEqual([]);
      }),
    );
  });

  it('never changes what it is given', () => {
    fc.assert(
      fc.property(history, configuration, (live, applied) => {
        const before = JSON.stringify([live, applied]);
        apply(live, 'a', applied);
        update(live, 'a', applied);
        expect(JSON.stringify([live, applied])).toBe(before);
      }),
    );
  });
});
