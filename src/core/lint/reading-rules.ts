import { annotationField } from '../../api/annotations.ts';
import { type FieldError, formatFieldErrors } from '../../api/field-errors.ts';
import { type Fields, isObject } from '../../api/json.ts';
import { annotation, label } from '../../api/names.ts';
import { validatePub } from '../../api/pub-validation.ts';
import type { StatefulSet } from '../../api/statefulset.ts';
import { parseRolloutOptIn } from '../rollout/opt-in.ts';
import type { Hit, LintObject, LintView, Rule } from './finding.ts';

interface Wrong {
  readonly object: LintObject;
  readonly errors: readonly FieldError[];
}

/** Everything of budgets and StatefulSets that cannot be read, field by field. */
function unreadable({ objects, pdbs, pubs }: LintView): readonly Wrong[] {
  const all = pubs.map(({ object }) => object);
  return [
    ...pdbs.map(({ object, state }) => ({ object, errors: state.errors })),
    ...pubs.map(({ object }) => ({ object, errors: validatePub(object, all) })),
    ...objects
      .filter(({ kind }) => kind === 'StatefulSet')
      .map((object) => ({ object, errors: rolloutErrors(object) })),
  ];
}

function rolloutErrors(object: LintObject): readonly FieldError[] {
  const optIn = parseRolloutOptIn(object as unknown as StatefulSet);
  return optIn.kind === 'invalid' ? optIn.errors : [];
}

const isAnnotation = ({ field }: FieldError): boolean => field.startsWith(annotationField('').slice(0, -1));

function hits(wrong: readonly Wrong[], test: (error: FieldError) => boolean): readonly Hit[] {
  return wrong.flatMap(({ object, errors }) => {
    const those = errors.filter(test);
    return those.length === 0 ? [] : [{ object, message: formatFieldErrors(those) }];
  });
}

function guardLabels({ objects }: LintView): readonly Hit[] {
  return objects.flatMap((object) => {
    const value = object.kind === 'Namespace' ? mapOf(object, 'labels')[label.guard] : undefined;
    if (value === undefined || value === 'enabled' || value === 'disabled') return [];
    const message = `label ${label.guard} is ${JSON.stringify(value)}, and only "enabled" and "disabled" mean anything`;
    return [{ object, message }];
  });
}

const known: ReadonlySet<string> = new Set([...Object.values(annotation), ...Object.values(label)]);
const ours = 'holdfast.dev/';

/** Keys of ours that nobody reads: most likely misspelt. Templates of pods have annotations of their own. */
function unknownKeys({ objects }: LintView): readonly Hit[] {
  return objects.flatMap((object) => {
    const keys = [object, ...templatesOf(object)].flatMap((one) => [
      ...Object.keys(mapOf(one, 'annotations')),
      ...Object.keys(mapOf(one, 'labels')),
    ]);
    const strange = [...new Set(keys)].filter((key) => key.startsWith(ours) && !known.has(key)).sort();
    return strange.length === 0 ? [] : [{ object, message: `nobody reads ${strange.join(', ')}` }];
  });
}

function templatesOf({ spec }: Fields): readonly Fields[] {
  return isObject(spec) && isObject(spec['template']) ? [spec['template']] : [];
}

function mapOf({ metadata }: Fields, field: 'annotations' | 'labels'): Fields {
  const map = isObject(metadata) ? metadata[field] : undefined;
  return isObject(map) ? map : {};
}

export const readingRules: readonly Rule[] = [
  {
    code: 'HF001',
    name: 'budget-cannot-be-read',
    severity: 'error',
    why: 'A budget that cannot be read protects by refusing everything: no pod that it selects may be evicted.',
    fix: 'Correct the field that is named.',
    check: (view) => hits(unreadable(view), (error) => !isAnnotation(error)),
  },
  {
    code: 'HF012',
    name: 'unknown-annotation-value',
    severity: 'error',
    why: 'A word that nobody knows is not guessed at: the budget refuses all its pods, or the repair of rollouts stays off.',
    fix: 'Use one of the values in docs/reference.md.',
    check: (view) => [...hits(unreadable(view), isAnnotation), ...guardLabels(view)],
  },
  {
    code: 'HF013',
    name: 'unknown-annotation',
    severity: 'warning',
    why: 'A name under holdfast.dev/ that nobody reads has no effect; most often it is misspelt.',
    fix: 'Use one of the names in docs/reference.md.',
    check: unknownKeys,
  },
];
