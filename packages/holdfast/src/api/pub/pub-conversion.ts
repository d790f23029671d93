import { type FieldError, failed, type Parsed, parsed, required } from '@holdfast/base/field-errors';
import { type Fields, isUnset } from '@holdfast/base/json';
import type { StringMap } from '@holdfast/base/meta';
import { annotation } from '../names.ts';
import { type PodUnavailableBudget, pubGroup } from './pub.ts';
import { type Note, type Notes, readNotes, writeNotes } from './pub-conversion-note.ts';
import { type PubParts, takeApart } from './pub-fields.ts';
import { type Setting, settings } from './pub-settings.ts';

/**
 * Between the two versions of a PodUnavailableBudget. Both schemas hold the same fields, so nothing has to be dropped;
 * but a v1alpha1 reader looks for two annotations where a v1beta1 reader looks for two fields. A conversion adds the
 * spelling its reader expects and notes it in an annotation; the way back takes exactly that away again.
 */

/** One setting of one object. Text is canonical, and `raw` as the author wrote it. */
interface Spelt {
  readonly field?: string;
  readonly annotation?: { readonly raw: string; readonly text: string };
  readonly note?: Note;
}

type Direction = (spelt: Spelt) => Spelt;

export function toV1beta1(pub: PodUnavailableBudget): Parsed<PodUnavailableBudget> {
  return convert(pub, `${pubGroup}/v1beta1`, up);
}

export function toV1alpha1(pub: PodUnavailableBudget): Parsed<PodUnavailableBudget> {
  return convert(pub, `${pubGroup}/v1alpha1`, down);
}

function down(spelt: Spelt): Spelt {
  const { field = '', annotation: own, note } = spelt;
  if (note?.spelling === 'field' && note.added !== undefined && own !== undefined) {
    // The author wrote the annotation, and a person may have edited either spelling since; the annotation counts first.
    const fieldEdited = field !== '' && field !== note.added && own.text === note.added;
    return { annotation: fieldEdited ? written(field) : own };
  }
  const leftOut = note?.spelling === 'annotation' && note.added === undefined;
  if (own === undefined && field !== '' && !leftOut) {
    return { field, annotation: written(field), note: { spelling: 'annotation', added: field } };
  }
  const fieldLeftOut = own !== undefined && spelt.field === undefined;
  return { ...withoutNote(spelt), ...(fieldLeftOut ? { note: { spelling: 'field' } } : {}) };
}

function up(spelt: Spelt): Spelt {
  const { field = '', annotation: own, note } = spelt;
  if (note?.spelling === 'annotation' && note.added !== undefined) {
    // The author wrote the field; a v1alpha1 user who changed or removed our annotation meant the setting.
    if (own === undefined) return {};
    const untouched = own.text === note.added && field !== '';
    return { field: untouched ? field : own.text };
  }
  const leftOut = note?.spelling === 'field' && note.added === undefined;
  if (own !== undefined && spelt.field === undefined && !leftOut) {
    return { field: own.text, annotation: own, note: { spelling: 'field', added: own.text } };
  }
  const annotationLeftOut = own === undefined && field !== '';
  return { ...withoutNote(spelt), ...(annotationLeftOut ? { note: { spelling: 'annotation' } } : {}) };
}

function written(text: string): { readonly raw: string; readonly text: string } {
  return { raw: text, text };
}

function withoutNote({ note: _, ...rest }: Spelt): Spelt {
  return rest;
}

function convert(pub: PodUnavailableBudget, apiVersion: string, direction: Direction): Parsed<PodUnavailableBudget> {
  const parts = takeApart(pub);
  if (!parts.ok) return parts;
  if (isUnset(pub.apiVersion)) return failed(required('apiVersion', 'must say which version the object is in'));
  if (pub.apiVersion === apiVersion) return parsed(pub);
  if (isUnset(pub.spec)) return failed(required('spec', 'must be an object'));
  const spellings = readSpellings(parts.value);
  if (!spellings.ok) return spellings;
  const changed = new Map([...spellings.value].map(([setting, spelt]) => [setting, direction(spelt)]));
  return parsed(assemble(pub, apiVersion, parts.value, changed));
}

type Spellings = ReadonlyMap<Setting, Spelt>;

function readSpellings({ annotations, spec }: PubParts): Parsed<Spellings> {
  const notes = readNotes(annotations[annotation.converted]);
  const errors: FieldError[] = notes.ok ? [] : [...notes.errors];
  const result = new Map<Setting, Spelt>();
  for (const setting of settings) {
    const note = notes.ok ? notes.value.get(setting) : undefined;
    const spelt = readSpelt(setting, spec[setting.field], annotations[setting.annotation], note);
    if (spelt.ok) result.set(setting, spelt.value);
    else errors.push(...spelt.errors);
  }
  return errors.length > 0 ? failed(...errors) : parsed(result);
}

function readSpelt(setting: Setting, value: unknown, raw: string | undefined, note: Note | undefined): Parsed<Spelt> {
  const field = value === undefined ? parsed(undefined) : setting.readField(value);
  const own = raw === undefined ? parsed(undefined) : setting.readAnnotation(raw);
  if (!field.ok || !own.ok) return failed(...(field.ok ? [] : field.errors), ...(own.ok ? [] : own.errors));
  return parsed({
    ...(field.value === undefined ? {} : { field: field.value }),
    ...(raw === undefined || own.value === undefined ? {} : { annotation: { raw, text: own.value } }),
    ...(note === undefined ? {} : { note }),
  });
}

function assemble(
  pub: PodUnavailableBudget,
  apiVersion: string,
  parts: PubParts,
  spellings: Spellings,
): PodUnavailableBudget {
  const spec = patched(
    parts.spec,
    [...spellings].map(([setting, { field }]) => [setting.field, fieldValue(setting, field)]),
  );
  const notes: Notes = new Map(
    [...spellings].flatMap(([setting, { note }]) => (note === undefined ? [] : [[setting, note]])),
  );
  const annotations = patched(parts.annotations, [
    ...[...spellings].map(([setting, spelt]) => [setting.annotation, spelt.annotation?.raw] as const),
    [annotation.converted, notes.size === 0 ? undefined : writeNotes(notes)],
  ]);
  // An empty map and none are one to Kubernetes, which drops the empty one.
  const { annotations: _, ...metadata } = pub.metadata;
  const none = Object.keys(annotations).length === 0;
  return {
    ...pub,
    apiVersion,
    metadata: none ? metadata : { ...metadata, annotations: annotations as StringMap },
    spec,
  };
}

function fieldValue(setting: Setting, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  return text === '' ? [] : setting.writeField(text);
}

function patched(source: Fields, changes: readonly (readonly [string, unknown])[]): Fields {
  const result = new Map(Object.entries(source));
  for (const [key, value] of changes) {
    if (value === undefined) result.delete(key);
    else result.set(key, value);
  }
  return Object.fromEntries(result);
}
