import { type FieldError, failed, invalid, type Parsed, parsed, required } from './field-errors.ts';
import { isObject, isUnset } from './json.ts';
import type { StringMap } from './meta.ts';

export function annotationField(key: string): string {
  return `metadata.annotations[${key}]`;
}

/** The annotations of any object. The API server keeps only strings there; a snapshot or a test may hold anything. */
export function readAnnotations(object: unknown): Parsed<StringMap> {
  const metadata = isObject(object) ? object['metadata'] : undefined;
  if (isUnset(metadata)) return failed(required('metadata', 'must be an object'));
  if (!isObject(metadata)) return failed(invalid('metadata', metadata, 'must be an object'));
  const annotations = metadata['annotations'];
  if (isUnset(annotations)) return parsed({});
  if (!isObject(annotations)) return failed(invalid('metadata.annotations', annotations, 'must be an object'));
  const errors = Object.entries(annotations).flatMap(notText);
  // Safe: every value was just seen to be a string.
  return errors.length > 0 ? failed(...errors) : parsed(annotations as StringMap);
}

function notText([key, value]: readonly [string, unknown]): readonly FieldError[] {
  return typeof value === 'string' ? [] : [invalid(annotationField(key), value, 'must be a string')];
}
