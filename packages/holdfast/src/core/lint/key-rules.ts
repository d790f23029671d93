import { annotationField } from '@holdfast/base/annotations';
import { type Fields, isObject } from '@holdfast/base/json';
import { nearest } from '@holdfast/base/nearest';
import { annotation, label } from '../../api/names.ts';
import type { Hit, LintObject, LintView, Rule } from './finding.ts';
import { podTemplatesOf } from './pod-templates.ts';

/** An annotation or a label of an object, or of the pods that it makes. */
interface Key {
  readonly key: string;
  readonly field: string;
  /** Of the object, or `Pod` in a template. */
  readonly kind: string;
}

function keysOf(object: LintObject): readonly Key[] {
  const own = keysIn(object, object.kind, '');
  return [...own, ...podTemplatesOf(object).flatMap((template) => keysIn(template, 'Pod', `${template.path}.`))];
}

function keysIn({ metadata }: { readonly metadata: unknown }, kind: string, prefix: string): readonly Key[] {
  const map = (field: string): Fields => {
    const found = isObject(metadata) ? metadata[field] : undefined;
    return isObject(found) ? found : {};
  };
  return [
    ...Object.keys(map('annotations')).map((key) => ({ key, kind, field: `${prefix}${annotationField(key)}` })),
    ...Object.keys(map('labels')).map((key) => ({ key, kind, field: `${prefix}metadata.labels[${key}]` })),
  ];
}

const known: readonly string[] = [...Object.values(annotation), ...Object.values(label)];
const ours = 'holdfast.dev/';

/** Names of ours that do not exist: most likely misspelt. */
function unknownKeys({ objects }: LintView): readonly Hit[] {
  return objects.flatMap((object) =>
    keysOf(object)
      .filter(({ key }) => key.startsWith(ours) && !known.includes(key))
      .map(({ key, field }) => {
        const meant = nearest(key, known);
        const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
        return { object, field, message: `unknown annotation ${key}${hint}` };
      }),
  );
}

const pdb = 'PodDisruptionBudget';
const pub = 'PodUnavailableBudget';

/** What people write, and the kinds on which it is read. What the operator writes itself is not here. */
const readOn: Readonly<Record<string, readonly string[]>> = {
  [annotation.budgetScope]: [pdb],
  [annotation.groupLabel]: [pdb],
  [annotation.groupMinAvailable]: [pdb],
  [annotation.takeover]: [pdb, pub],
  [annotation.projection]: [pdb],
  [annotation.disruptionProbe]: ['Pod'],
  [annotation.updateStrategy]: ['StatefulSet'],
  [annotation.rolloutSettleSeconds]: ['StatefulSet'],
  [annotation.rolloutStop]: ['StatefulSet'],
  [annotation.pubProtectOperations]: [pub],
  [annotation.pubProtectTotalReplicas]: [pub],
  [annotation.pubNoProtect]: ['Pod'],
  [label.guard]: ['Namespace'],
};

function misplacedKeys({ objects }: LintView): readonly Hit[] {
  return objects.flatMap((object) =>
    keysOf(object).flatMap(({ key, kind, field }) => {
      const kinds = Object.hasOwn(readOn, key) ? readOn[key] : undefined;
      if (kinds === undefined || kinds.includes(kind)) return [];
      const where = kind === object.kind ? `a ${kind}` : `a template of pods`;
      const message = `${key} has no effect on ${where}: it belongs on a ${kinds.map(placeText).join(' or a ')}`;
      return [{ object, field, message }];
    }),
  );
}

function placeText(kind: string): string {
  return kind === 'Pod' ? 'Pod, or on the pod template of a workload' : kind;
}

export const keyRules: readonly Rule[] = [
  {
    code: 'HF013',
    name: 'unknown-annotation',
    severity: 'warning',
    why: 'Holdfast reads no annotation or label of this name under holdfast.dev/, so it has no effect; usually it is misspelt.',
    fix: 'Use one of the names in docs/reference/names.md.',
    check: unknownKeys,
  },
  {
    code: 'HF018',
    name: 'annotation-on-wrong-kind',
    severity: 'warning',
    why: 'Holdfast reads the annotation on other kinds only, so here it has no effect.',
    fix: 'Move it to the kind that is named; docs/reference/names.md says where each annotation belongs.',
    check: misplacedKeys,
  },
];
