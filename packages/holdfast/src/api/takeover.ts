import { annotationField, readAnnotations } from '@holdfast/base/annotations';
import { failed, misspelt, type Parsed, parsed } from '@holdfast/base/field-errors';
import { annotation } from './names.ts';

/** Whether a budget, PDB or PUB, lets us complete its evictions ourselves. `disabled` is the one value that the annotation knows. */
export function parseTakeover(budget: unknown): Parsed<boolean> {
  const annotations = readAnnotations(budget);
  if (!annotations.ok) return annotations;
  const value = annotations.value[annotation.takeover];
  if (value === undefined) return parsed(true);
  if (value === 'disabled') return parsed(false);
  return failed(misspelt(annotationField(annotation.takeover), value, ['disabled']));
}

/**
 * By this, and by our name, API servers know the deletion with which we complete an eviction, and do not ask about it again. It is
 * what pods are deleted with anyway; our other deletions, the repairs of rollouts, do not name it and are judged.
 */
export const takeoverPropagation = 'Background';
