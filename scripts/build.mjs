// Bundles the command into one file, dist/holdfast.js. Runs by itself after `npm ci` (the `prepare` script).
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from 'esbuild';

const { outputFiles } = await build({
  entryPoints: ['src/cli/main.ts'],
  outfile: 'dist/holdfast.js',
  write: false,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: true,
  logLevel: 'warning',
  banner: {
    // commander and yaml are CommonJS inside; an ES module bundle has no `require` of its own.
    js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
});
// Each file appears whole: somebody may be running the command, or building it too.
for (const { path, contents } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, contents, { mode: 0o755 });
  renameSync(draft, path);
}
