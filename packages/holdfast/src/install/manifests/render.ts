import { stringify } from 'yaml';

/** As a file for kubectl, one document for each object. */
export function renderManifests(objects: readonly object[]): string {
  // Shared pieces are written out: kubectl reads aliases, but people should not have to. Version 1.1 quotes what
  // kubectl would take for a boolean.
  const options = { aliasDuplicateObjects: false, lineWidth: 120, version: '1.1' } as const;
  return objects.map((object) => stringify(object, options)).join('---\n');
}
