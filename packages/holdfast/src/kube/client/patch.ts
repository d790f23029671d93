/** The ways to change a part of an object. */
export type Patch =
  | { readonly type: 'json'; readonly operations: readonly JsonOperation[] }
  | { readonly type: 'merge'; readonly body: object }
  | { readonly type: 'strategic'; readonly body: object }
  /** Server-side apply. `force` takes fields over from other managers. */
  | { readonly type: 'apply'; readonly body: object; readonly fieldManager: string; readonly force?: boolean };

export type JsonOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

const contentTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML, too, and every server that knows apply knows this name.
  apply: 'application/apply-patch+yaml',
} as const;

export function patchContentType(patch: Patch): string {
  return contentTypes[patch.type];
}

export function patchBody(patch: Patch): string {
  return JSON.stringify(patch.type === 'json' ? patch.operations : patch.body);
}

export function patchQuery(patch: Patch): { readonly fieldManager?: string; readonly force?: boolean } {
  if (patch.type !== 'apply') return {};
  return { fieldManager: patch.fieldManager, ...(patch.force === undefined ? {} : { force: patch.force }) };
}
