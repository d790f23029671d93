import { annotationField } from '@holdfast/base/annotations';
import { failed, invalid, type Parsed, parsed } from '@holdfast/base/field-errors';
import { annotation } from '../names.ts';
import { type Setting, settings } from './pub-settings.ts';

/**
 * What a conversion did to one setting, so that the way back can undo exactly that: it added a spelling (with which
 * value, to see whether a person edited it since), or it found that the author had left one out on purpose.
 */
export interface Note {
  readonly spelling: 'field' | 'annotation';
  readonly added?: string;
}

export type Notes = ReadonlyMap<Setting, Note>;

/** `spec.protectOperations=DELETE+EVICT,!pub.kruise.io/protect-total-replicas`: added with a value, or left out. */
export function writeNotes(notes: Notes): string {
  return [...notes].map(([setting, note]) => writeNote(spellingName(setting, note.spelling), note.added)).join(',');
}

function writeNote(name: string, added: string | undefined): string {
  return added === undefined ? `!${name}` : `${name}=${added.replaceAll(',', '+')}`;
}

export function readNotes(text: string | undefined): Parsed<Notes> {
  const notes = new Map<Setting, Note>();
  if (text === undefined) return parsed(notes);
  for (const entry of text.split(',')) {
    const found = readNote(entry);
    if (found === undefined) {
      const detail = `does not know "${entry}"; the annotation is ours, remove it to start afresh`;
      return failed(invalid(annotationField(annotation.converted), text, detail));
    }
    notes.set(found.setting, found.note);
  }
  return parsed(notes);
}

function readNote(entry: string): { readonly setting: Setting; readonly note: Note } | undefined {
  for (const setting of settings) {
    for (const spelling of ['field', 'annotation'] as const) {
      const name = spellingName(setting, spelling);
      if (entry === `!${name}`) return { setting, note: { spelling } };
      if (!entry.startsWith(`${name}=`)) continue;
      const added = setting.readAnnotation(entry.slice(name.length + 1).replaceAll('+', ','));
      return added.ok ? { setting, note: { spelling, added: added.value } } : undefined;
    }
  }
  return undefined;
}

function spellingName(setting: Setting, spelling: Note['spelling']): string {
  return spelling === 'field' ? `spec.${setting.field}` : setting.annotation;
}
