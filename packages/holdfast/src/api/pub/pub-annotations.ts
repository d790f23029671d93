import { annotationField } from '@holdfast/base/annotations';
import { failed, invalid, type Parsed, parsed } from '@holdfast/base/field-errors';
import { isInt32From } from '@holdfast/base/json';
import { annotation } from '../names.ts';
import { type ProtectOperation, protectOperations } from './pub.ts';

/** The two settings of a PodUnavailableBudget that v1alpha1 spells as annotations. */

export function isProtectOperation(word: unknown): word is ProtectOperation {
  return (protectOperations as readonly unknown[]).includes(word);
}

/** A comma list. Blanks around a word are forgiven, because Kruise's own documentation writes them. */
export function parseOperationsAnnotation(text: string): Parsed<readonly ProtectOperation[]> {
  const key = annotation.pubProtectOperations;
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.filter((word) => !isProtectOperation(word));
  if (unknown.length === 0) return parsed(words.filter(isProtectOperation));
  return failed(...unknown.map((word) => invalid(annotationField(key), text, `invalid ${key} value "${word}"`)));
}

export function parseTotalReplicasAnnotation(text: string): Parsed<number> {
  const field = annotationField(annotation.pubProtectTotalReplicas);
  const value = /^[+-]?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (!isInt32From(-2_147_483_648, value)) return failed(invalid(field, text, 'must be a valid int32'));
  if (value < 1) return failed(invalid(field, text, 'must be greater than or equal to 1'));
  return parsed(value);
}
