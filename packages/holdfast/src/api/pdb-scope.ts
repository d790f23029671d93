import { annotationField, readAnnotations } from '@holdfast/base/annotations';
import { type FieldError, failed, invalid, misspelt, type Parsed, parsed } from '@holdfast/base/field-errors';
import { isObject, isUnset } from '@holdfast/base/json';
import { labelKeyProblem } from '@holdfast/base/labels/label-syntax';
import type { StringMap } from '@holdfast/base/meta';
import { annotation } from './names.ts';
import type { PodDisruptionBudget } from './pdb.ts';

/** How many pods a group needs: a number, or all of them. */
export type GroupMinimum = number | 'all';

/** What a PodDisruptionBudget counts, as its author wrote it. */
export type PdbScope =
  | { readonly kind: 'automatic' }
  | { readonly kind: 'pod' }
  | { readonly kind: 'group'; readonly labelKey?: string; readonly minimum?: GroupMinimum };

const scopes = ['Pod', 'PodGroup'] as const;

/** Reads the scope from `spec.budgetScope` and our annotations. Two places that disagree are an error, not a guess. */
export function parsePdbScope(pdb: PodDisruptionBudget): Parsed<PdbScope> {
  const source = readAnnotations(pdb);
  if (!source.ok) return source;
  const annotations = source.value;
  const errors: FieldError[] = [];
  const word = scopeWord(specScope(pdb.spec, errors), annotations[annotation.budgetScope], errors);
  const labelKey = groupLabel(annotations[annotation.groupLabel], errors);
  const minimum = groupMinimum(annotations[annotation.groupMinAvailable], errors);
  if (word !== 'PodGroup') errors.push(...groupWordErrors(annotations));
  if (errors.length > 0) return failed(...errors);
  if (word === undefined) return parsed({ kind: 'automatic' });
  if (word === 'Pod') return parsed({ kind: 'pod' });
  return parsed({
    kind: 'group',
    ...(labelKey === undefined ? {} : { labelKey }),
    ...(minimum === undefined ? {} : { minimum }),
  });
}

function specScope(spec: unknown, errors: FieldError[]): string | undefined {
  if (isUnset(spec)) return undefined;
  if (!isObject(spec)) {
    errors.push(invalid('spec', spec, 'must be an object'));
    return undefined;
  }
  const scope = spec['budgetScope'];
  if (isUnset(scope)) return undefined;
  if (typeof scope === 'string') return scope;
  errors.push(misspelt('spec.budgetScope', scope, scopes));
  return undefined;
}

/** How to group says nothing where nothing is grouped: more likely the scope was forgotten than the rest too much. */
function groupWordErrors(annotations: StringMap): readonly FieldError[] {
  return [annotation.groupLabel, annotation.groupMinAvailable]
    .filter((key) => annotations[key] !== undefined)
    .map((key) =>
      invalid(annotationField(key), annotations[key], `is read only together with ${annotation.budgetScope}: PodGroup`),
    );
}

function scopeWord(
  fromSpec: string | undefined,
  fromAnnotation: string | undefined,
  errors: FieldError[],
): string | undefined {
  if (fromSpec !== undefined && !isScope(fromSpec)) errors.push(misspelt('spec.budgetScope', fromSpec, scopes));
  if (fromAnnotation !== undefined && !isScope(fromAnnotation)) {
    errors.push(misspelt(annotationField(annotation.budgetScope), fromAnnotation, scopes));
  }
  if (fromSpec !== undefined && fromAnnotation !== undefined && fromSpec !== fromAnnotation) {
    errors.push(
      invalid(annotationField(annotation.budgetScope), fromAnnotation, `contradicts spec.budgetScope ${fromSpec}`),
    );
  }
  return fromSpec ?? fromAnnotation;
}

function isScope(word: string): boolean {
  return (scopes as readonly string[]).includes(word);
}

function groupLabel(value: string | undefined, errors: FieldError[]): string | undefined {
  if (value === undefined) return undefined;
  const problem = labelKeyProblem(value);
  if (problem !== undefined) errors.push(invalid(annotationField(annotation.groupLabel), value, problem));
  return value;
}

function groupMinimum(value: string | undefined, errors: FieldError[]): GroupMinimum | undefined {
  if (value === undefined || value === 'all') return value;
  if (/^[1-9][0-9]{0,8}$/.test(value)) return Number(value);
  errors.push(invalid(annotationField(annotation.groupMinAvailable), value, 'must be a positive integer or "all"'));
  return undefined;
}
