import type { Environment } from '@marcbachmann/cel-js';

/** What `jsonpatch` in an expression is: a name to call functions on. */
class JsonPatchNames {}

/** `jsonpatch.escapeKey("example.com/name")`, for keys that stand in the path of a patch. */
export function registerJsonPatch(environment: Environment): void {
  environment.registerType('JsonPatchNames', JsonPatchNames);
  environment.registerConstant('jsonpatch', 'JsonPatchNames', new JsonPatchNames());
  environment.registerFunction('JsonPatchNames.escapeKey(string): string', (_: unknown, key: string) =>
    key.replaceAll('~', '~0').replaceAll('/', '~1'),
  );
}
