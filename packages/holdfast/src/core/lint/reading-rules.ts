import { annotationField } from '@holdfast/base/annotations';
import { type FieldError, formatFieldErrors, misspelt } from '@holdfast/base/field-errors';
import { type Fields, isObject } from '@holdfast/base/json';
import { annotation, label } from '../../api/names.ts';
import { validatePub } from '../../api/pub/pub-validation.ts';
import type { StatefulSet } from '../../api/statefulset.ts';
import { misspeltStrategy, parseRolloutOptIn, strategyField } from '../rollout/opt-in.ts';
import type { Hit, LintObject, LintView, Rule } from './finding.ts';

interface Wrong {
  readonly object: LintObject;
  readonly errors: readonly FieldError[];
}

/** Everything of budgets and StatefulSets that cannot be read, field by field. */
function unreadable({ objects, pdbs, pubs }: LintView): readonly Wrong[] {
  const all = pubs.map(({ object }) => object);
  return [
    ...pdbs.map(({ object, state }) => ({ object, errors: [...state.errors, ...projectionErrors(object)] })),
    ...pubs.map(({ object }) => ({ object, errors: validatePub(object, all) })),
    ...objects
      .filter(({ kind }) => kind === 'StatefulSet')
      .map((object) => ({ object, errors: rolloutErrors(object) })),
  ];
}

/** The operator takes any other value for an absent one, and goes on projecting: only here does its author hear of it. */
function projectionErrors(object: LintObject): readonly FieldError[] {
  const value = mapOf(object, 'annotations')[annotation.projection];
  if (value === undefined || value === 'disabled') return [];
  return [misspelt(annotationField(annotation.projection), value, ['disabled'])];
}

function rolloutErrors(object: LintObject): readonly FieldError[] {
  const set = object as unknown as StatefulSet;
  const misspelt = misspeltStrategy(set);
  if (misspelt !== undefined) return [misspelt];
  const optIn = parseRolloutOptIn(set);
  return optIn.kind === 'invalid' ? optIn.errors : [];
}

/** Annotations, and the one word of ours that Kubernetes has a field for. */
const isAnnotation = ({ field }: FieldError): boolean =>
  field.startsWith(annotationField('').slice(0, -1)) || field === strategyField;

function hits(wrong: readonly Wrong[], test: (error: FieldError) => boolean): readonly Hit[] {
  return wrong.flatMap(({ object, errors }) => {
    const those = errors.filter(test);
    const [first] = those;
    return first === undefined ? [] : [{ object, field: first.field, message: formatFieldErrors(those) }];
  });
}

const guardValues: ReadonlySet<unknown> = new Set(['enabled', 'observe', 'disabled']);

function guardLabels({ objects }: LintView): readonly Hit[] {
  return objects.flatMap((object) => {
    const value = object.kind === 'Namespace' ? mapOf(object, 'labels')[label.guard] : undefined;
    if (value === undefined || guardValues.has(value)) return [];
    const message = `label ${label.guard} is ${JSON.stringify(value)}, and only "enabled", "observe" and "disabled" mean anything`;
    return [{ object, field: `metadata.labels[${label.guard}]`, message }];
  });
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
    why: 'A budget that cannot be read refuses everything: no pod that it selects may be evicted.',
    fix: 'Correct the field that is named.',
    check: (view) => hits(unreadable(view), (error) => !isAnnotation(error)),
  },
  {
    code: 'HF012',
    name: 'unknown-annotation-value',
    severity: 'error',
    why: 'Unknown values are not guessed: the budget refuses all its pods, stuck rollouts are not recovered, or the setting has no effect.',
    fix: 'Use one of the values in docs/reference/names.md.',
    check: (view) => [...hits(unreadable(view), isAnnotation), ...guardLabels(view)],
  },
];
