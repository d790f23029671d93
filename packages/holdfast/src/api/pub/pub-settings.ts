import { type Parsed, parsed } from '@holdfast/base/field-errors';
import { annotation } from '../names.ts';
import { parseOperationsAnnotation, parseTotalReplicasAnnotation } from './pub-annotations.ts';
import { parseOperationsField, parseTotalReplicasField } from './pub-fields.ts';

/**
 * A setting of a PodUnavailableBudget that v1alpha1 spells as an annotation and v1beta1 as a field. Its value is handled
 * as canonical text (`DELETE,EVICT`, `5`), so that the two spellings can be compared; an empty list is the empty text.
 */
export interface Setting {
  readonly field: 'protectOperations' | 'protectTotalReplicas';
  readonly annotation: string;
  readonly readField: (value: unknown) => Parsed<string>;
  readonly readAnnotation: (text: string) => Parsed<string>;
  /** Only for text that one of the readers gave. */
  readonly writeField: (text: string) => unknown;
}

const operations: Setting = {
  field: 'protectOperations',
  annotation: annotation.pubProtectOperations,
  readField: (value) => mapValue(parseOperationsField(value), (words) => words.join(',')),
  readAnnotation: (text) => mapValue(parseOperationsAnnotation(text), (words) => words.join(',')),
  writeField: (text) => text.split(','),
};

const totalReplicas: Setting = {
  field: 'protectTotalReplicas',
  annotation: annotation.pubProtectTotalReplicas,
  readField: (value) => mapValue(parseTotalReplicasField(value), (count) => String(count)),
  readAnnotation: (text) => mapValue(parseTotalReplicasAnnotation(text), (count) => String(count)),
  writeField: Number,
};

export const settings: readonly Setting[] = [operations, totalReplicas];

function mapValue<T>(result: Parsed<T>, change: (value: T) => string): Parsed<string> {
  return result.ok ? parsed(change(result.value)) : result;
}
