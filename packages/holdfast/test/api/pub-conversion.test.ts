import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { table } from '../../../../test/support/table.ts';
import { hostileJson, unchecked } from '../../../../test/support/unchecked.ts';
import { type FieldError, invalid, type Parsed, required } from '../../../base/src/field-errors.ts';
import { type PodUnavailableBudget, protectOperations } from '../../src/api/pub/pub.ts';
import { toV1alpha1, toV1beta1 } from '../../src/api/pub/pub-conversion.ts';
import { readPub } from '../../src/api/pub/pub-read.ts';
import { validPub } from './pub-arbitrary.ts';

const ops = 'kruise.io/pub-protect-operations';
const total = 'pub.kruise.io/protect-total-replicas';
const converted = 'holdfast.dev/converted';
const rest = { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 };

type Version = 'v1alpha1' | 'v1beta1';
interface Parts {
  readonly spec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
}

function pub(version: Version, { spec = {}, annotations }: Parts): PodUnavailableBudget {
  return unchecked({
    apiVersion: `policy.kruise.io/${version}`,
    kind: 'PodUnavailableBudget',
    metadata: { name: 'mine', namespace: 'shop', ...(annotations === undefined ? {} : { annotations }) },
    spec: { ...rest, ...spec },
  });
}

function unwrap<T>(result: Parsed<T>): T {
  if (!result.ok) throw new Error(`expected a value, got ${JSON.stringify(result.errors)}`);
  return result.value;
}

const convert = { v1alpha1: toV1alpha1, v1beta1: toV1beta1 } as const;
const opposite = { v1alpha1: 'v1beta1', v1beta1: 'v1alpha1' } as const;

describe('toV1alpha1', () => {
  table<{ readonly name: string; readonly from: Parts; readonly want: Parts }>(
    [
      { name: 'changes only the version where there is nothing to spell', from: {}, want: {} },
      {
        name: 'adds the annotations that v1alpha1 readers expect, and notes it',
        from: { spec: { protectOperations: ['DELETE', 'EVICT'], protectTotalReplicas: 5 } },
        want: {
          spec: { protectOperations: ['DELETE', 'EVICT'], protectTotalReplicas: 5 },
          annotations: { [ops]: 'DELETE,EVICT', [total]: '5', [converted]: `${ops}=DELETE+EVICT,${total}=5` },
        },
      },
      {
        name: 'leaves an annotation alone that contradicts the field',
        from: { spec: { protectOperations: ['DELETE'] }, annotations: { [ops]: 'EVICT' } },
        want: { spec: { protectOperations: ['DELETE'] }, annotations: { [ops]: 'EVICT' } },
      },
      {
        name: 'notes a field that was left out, so that the way back does not invent it',
        from: { annotations: { [ops]: 'EVICT' } },
        want: { annotations: { [ops]: 'EVICT', [converted]: '!spec.protectOperations' } },
      },
      {
        name: 'writes no annotation for an empty list',
        from: { spec: { protectOperations: [] } },
        want: { spec: { protectOperations: [] } },
      },
      {
        name: 'takes away the field that the way up added',
        from: {
          spec: { protectOperations: ['EVICT'] },
          annotations: { [ops]: ' EVICT', [converted]: 'spec.protectOperations=EVICT', x: 'y' },
        },
        want: { annotations: { [ops]: ' EVICT', x: 'y' } },
      },
      {
        name: 'carries an edit of that field over to the annotation',
        from: {
          spec: { protectOperations: ['EVICT', 'RESIZE'] },
          annotations: { [ops]: 'EVICT', [converted]: 'spec.protectOperations=EVICT' },
        },
        want: { annotations: { [ops]: 'EVICT,RESIZE' } },
      },
      {
        name: 'lets an edited annotation win over an edited field',
        from: {
          spec: { protectTotalReplicas: 7 },
          annotations: { [total]: '9', [converted]: 'spec.protectTotalReplicas=5' },
        },
        want: { annotations: { [total]: '9' } },
      },
      {
        name: 'keeps the annotation when that field was emptied',
        from: {
          spec: { protectOperations: [] },
          annotations: { [ops]: 'EVICT', [converted]: 'spec.protectOperations=EVICT' },
        },
        want: { annotations: { [ops]: 'EVICT' } },
      },
      {
        name: 'writes the annotation again when a person tidied it away',
        from: { spec: { protectTotalReplicas: 5 }, annotations: { [converted]: 'spec.protectTotalReplicas=5' } },
        want: { spec: { protectTotalReplicas: 5 }, annotations: { [total]: '5', [converted]: `${total}=5` } },
      },
      {
        name: 'adds no annotation that the author had left out',
        from: { spec: { protectTotalReplicas: 5 }, annotations: { [converted]: `!${total}` } },
        want: { spec: { protectTotalReplicas: 5 } },
      },
      {
        name: 'drops a note of its own direction, copied in by hand, and starts afresh',
        from: { spec: { protectTotalReplicas: 6 }, annotations: { [converted]: `${total}=5` } },
        want: { spec: { protectTotalReplicas: 6 }, annotations: { [total]: '6', [converted]: `${total}=6` } },
      },
    ],
    ({ from, want }) => expect(toV1alpha1(pub('v1beta1', from))).toEqual({ ok: true, value: pub('v1alpha1', want) }),
  );
});

describe('toV1beta1', () => {
  table<{ readonly name: string; readonly from: Parts; readonly want: Parts }>(
    [
      {
        name: 'adds the fields that v1beta1 readers expect, and notes it',
        from: { annotations: { [ops]: 'DELETE, EVICT', [total]: '5' } },
        want: {
          spec: { protectOperations: ['DELETE', 'EVICT'], protectTotalReplicas: 5 },
          annotations: {
            [ops]: 'DELETE, EVICT',
            [total]: '5',
            [converted]: 'spec.protectOperations=DELETE+EVICT,spec.protectTotalReplicas=5',
          },
        },
      },
      {
        name: 'leaves a field alone that contradicts the annotation',
        from: { spec: { protectOperations: ['DELETE'] }, annotations: { [ops]: 'EVICT' } },
        want: { spec: { protectOperations: ['DELETE'] }, annotations: { [ops]: 'EVICT' } },
      },
      {
        name: 'notes an annotation that was left out, so that the way back does not invent it',
        from: { spec: { protectTotalReplicas: 5 } },
        want: { spec: { protectTotalReplicas: 5 }, annotations: { [converted]: `!${total}` } },
      },
      {
        name: 'takes away the annotation that the way down added',
        from: { spec: { protectTotalReplicas: 5 }, annotations: { [total]: '5', [converted]: `${total}=5` } },
        want: { spec: { protectTotalReplicas: 5 } },
      },
      {
        name: 'keeps an edit of the field',
        from: { spec: { protectTotalReplicas: 6 }, annotations: { [total]: '5', [converted]: `${total}=5` } },
        want: { spec: { protectTotalReplicas: 6 } },
      },
      {
        name: 'lets an edited annotation win',
        from: {
          spec: { protectOperations: ['DELETE'] },
          annotations: { [ops]: 'EVICT, RESIZE', [converted]: `${ops}=DELETE` },
        },
        want: { spec: { protectOperations: ['EVICT', 'RESIZE'] } },
      },
      {
        name: 'takes a removed annotation for a removed setting',
        from: { spec: { protectOperations: ['DELETE'] }, annotations: { [converted]: `${ops}=DELETE` } },
        want: {},
      },
      {
        name: 'restores a field that was removed from the annotation that was not',
        from: { annotations: { [ops]: 'DELETE', [converted]: `${ops}=DELETE` } },
        want: { spec: { protectOperations: ['DELETE'] } },
      },
      {
        name: 'adds no field that the author had left out',
        from: { annotations: { [ops]: 'EVICT', [converted]: '!spec.protectOperations' } },
        want: { annotations: { [ops]: 'EVICT' } },
      },
    ],
    ({ from, want }) => expect(toV1beta1(pub('v1alpha1', from))).toEqual({ ok: true, value: pub('v1beta1', want) }),
  );
});

describe('a conversion', () => {
  const opsField = `metadata.annotations[${ops}]`;
  const totalField = `metadata.annotations[${total}]`;
  const notes = `metadata.annotations[${converted}]`;
  const unknown = (entry: string) => `does not know "${entry}"; the annotation is ours, remove it to start afresh`;
  table<{ readonly name: string; readonly pub: PodUnavailableBudget; readonly want: readonly FieldError[] }>(
    [
      {
        name: 'refuses annotations that cannot be read, and names both',
        pub: pub('v1alpha1', { annotations: { [ops]: 'DELETE,X', [total]: 'many' } }),
        want: [
          invalid(opsField, 'DELETE,X', `invalid ${ops} value "X"`),
          invalid(totalField, 'many', 'must be a valid int32'),
        ],
      },
      {
        name: 'refuses a field that cannot be read',
        pub: pub('v1beta1', { spec: { protectTotalReplicas: null } }),
        want: [invalid('spec.protectTotalReplicas', null, 'must be a 32-bit integer greater than or equal to 1')],
      },
      {
        name: 'refuses a note that it never wrote',
        pub: pub('v1beta1', { annotations: { [converted]: `${total}=5,yes` } }),
        want: [invalid(notes, `${total}=5,yes`, unknown('yes'))],
      },
      {
        name: 'refuses a note with a value that no setting has',
        pub: pub('v1beta1', { annotations: { [converted]: `${ops}=X` } }),
        want: [invalid(notes, `${ops}=X`, unknown(`${ops}=X`))],
      },
      {
        name: 'refuses an object that does not say its version',
        pub: { metadata: { name: 'x' }, spec: rest },
        want: [required('apiVersion', 'must say which version the object is in')],
      },
      {
        name: 'refuses an object of another kind of version',
        pub: { ...pub('v1beta1', {}), apiVersion: 'apps/v1' },
        want: [invalid('apiVersion', 'apps/v1', 'unsupported version: apps/v1')],
      },
      {
        name: 'refuses an object without a spec',
        pub: unchecked({ ...pub('v1beta1', {}), spec: null }),
        want: [required('spec', 'must be an object')],
      },
    ],
    ({ pub, want }) => {
      const other = pub.apiVersion === 'policy.kruise.io/v1alpha1' ? toV1beta1 : toV1alpha1;
      expect(other(pub)).toEqual({ ok: false, errors: want });
    },
  );

  it('to the version that an object is in changes nothing', () => {
    for (const version of ['v1alpha1', 'v1beta1'] as const) {
      const source = pub(version, { annotations: { [ops]: 'EVICT' }, spec: { protectTotalReplicas: 4 } });
      expect(convert[version](source)).toEqual({ ok: true, value: source });
    }
  });

  it('there and back again is where it began', () => {
    fc.assert(
      fc.property(validPub(), (source) => {
        const home: Version = source.apiVersion === 'policy.kruise.io/v1alpha1' ? 'v1alpha1' : 'v1beta1';
        const before = structuredClone(source);
        const away = unwrap(convert[opposite[home]](source));
        expect(away.apiVersion).toBe(`policy.kruise.io/${opposite[home]}`);
        expect(unwrap(convert[home](away))).toEqual(before);
        expect(source).toEqual(before);
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not change what a budget means', () => {
    fc.assert(
      fc.property(validPub(), (source) => {
        for (const version of ['v1alpha1', 'v1beta1'] as const) {
          expect(readPub(unwrap(convert[version](source)))).toEqual(readPub(source));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives every v1alpha1 reader the annotation, and every v1beta1 reader the field', () => {
    const words = fc.array(fc.constantFrom(...protectOperations), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 2_147_483_647 }), (operations, count) => {
        const spec = { protectOperations: operations, protectTotalReplicas: count };
        const annotations = { [ops]: operations.join(','), [total]: String(count) };
        expect(unwrap(toV1alpha1(pub('v1beta1', { spec }))).metadata.annotations).toMatchObject(annotations);
        expect(unwrap(toV1beta1(pub('v1alpha1', { annotations }))).spec).toMatchObject(spec);
      }),
    );
  });

  it('lets an annotation win that a person edited in between, and leaves no trace of itself', () => {
    const word = fc.constantFrom(...protectOperations);
    const words = fc.array(word, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(words, words, (written, edited) => {
        const down = unwrap(toV1alpha1(pub('v1beta1', { spec: { protectOperations: written } })));
        const annotations = { ...down.metadata.annotations, [ops]: edited.join(', ') };
        const up = toV1beta1({ ...down, metadata: { ...down.metadata, annotations } });
        expect(up).toEqual({ ok: true, value: pub('v1beta1', { spec: { protectOperations: edited } }) });
      }),
    );
  });

  it('never throws', () => {
    const known = ['apiVersion', 'metadata', 'annotations', 'spec', 'protectOperations', 'protectTotalReplicas'];
    const any = hostileJson([...known, ops, total, converted, 'policy.kruise.io/v1alpha1', 'DELETE']);
    const text = fc.oneof(fc.string(), fc.constantFrom('DELETE', '5', `${total}=5`, `!${total}`, `${ops}=DELETE`));
    const annotations = fc.dictionary(fc.constantFrom(ops, total, converted), text);
    fc.assert(
      fc.property(
        fc.oneof(
          any,
          annotations.map((notes) => pub('v1beta1', { annotations: notes })),
        ),
        (source) => {
          for (const run of [toV1alpha1, toV1beta1]) {
            const result = run(unchecked(source));
            if (!result.ok) expect(result.errors.length).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
