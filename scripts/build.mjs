// Bundles the command into one file, dist/holdfast.js. Runs by itself after `npm ci` (the `prepare` script).
import { chmodSync } from 'node:fs';
import { build } from 'esbuild';

await build({
  entryPoints: ['src/cli/main.ts'],
  outfile: 'dist/holdfast.js',
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
chmodSync('dist/holdfast.js', 0o755);
