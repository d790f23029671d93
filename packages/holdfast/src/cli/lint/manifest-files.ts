import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { documentsIn, type LoadedObject, objectsIn, type PlacedObject, readManifestText } from '../load-objects.ts';
import { FieldLines, type PathStep, stepsOf } from './field-lines.ts';

/** Where an object, or a field of it, can be read. */
export interface SourcePlace {
  readonly file: string;
  readonly line?: number;
}

export interface Manifests {
  readonly objects: readonly LoadedObject[];
  readonly placeOf: (object: LoadedObject, field?: string) => SourcePlace | undefined;
  /** Files and documents in folders that are no manifests. */
  readonly skipped: readonly string[];
  /** Files in folders that may be manifests, and cannot be read. */
  readonly unreadable: readonly string[];
  readonly files: number;
}

/** What a user names must be manifests; in a folder, as repositories have them, there are other files beside them. */
export function readManifests(paths: readonly string[]): Manifests {
  const reading = new Reading();
  for (const path of paths) {
    if (path === '-' || !statSync(path).isDirectory()) reading.named(path);
    else for (const file of filesIn(path)) reading.found(file);
  }
  return reading;
}

const manifest = /\.(ya?ml|json)$/;

function filesIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => manifest.test(name));
  return names
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

interface Origin {
  readonly file: string;
  readonly lines: FieldLines;
  readonly document: number;
  readonly path: readonly PathStep[];
}

class Reading implements Manifests {
  readonly objects: LoadedObject[] = [];
  readonly skipped: string[] = [];
  readonly unreadable: string[] = [];
  files = 0;
  readonly #origins = new Map<LoadedObject, Origin>();

  readonly placeOf = (object: LoadedObject, field = ''): SourcePlace | undefined => {
    const origin = this.#origins.get(object);
    if (origin === undefined) return undefined;
    const line = origin.lines.lineOf(origin.document, [...origin.path, ...stepsOf(field)]);
    return { file: origin.file, ...(line === undefined ? {} : { line }) };
  };

  named(file: string): void {
    const text = file === '-' ? readFileSync(0, 'utf8') : readManifestText(file);
    this.files += 1;
    this.#add(file, text, objectsIn(text, file));
  }

  found(file: string): void {
    const text = readManifestText(file);
    const documents = documentsIn(text);
    const wrong = documents.filter((one) => one.kind !== 'objects');
    if (wrong.length > 0 && isTemplate(text)) {
      this.skipped.push(
        `${file}: it is a template ({{ ... }}); lint what it renders: helm template ... | holdfast lint -`,
      );
      return;
    }
    this.files += 1;
    for (const one of wrong) {
      if (one.kind === 'unreadable')
        this.unreadable.push(`${file}${one.line === undefined ? '' : `:${one.line}`}: ${one.why}`);
      else this.skipped.push(`${file}: document ${one.document + 1} ${one.why}`);
    }
    this.#add(
      file,
      text,
      documents.flatMap((one) => (one.kind === 'objects' ? one.objects : [])),
    );
  }

  #add(file: string, text: string, placed: readonly PlacedObject[]): void {
    const lines = new FieldLines(text);
    for (const { object, document, path } of placed) {
      this.objects.push(object);
      this.#origins.set(object, { file, lines, document, path });
    }
  }
}

function isTemplate(text: string): boolean {
  return text.includes('{{');
}
